// SPDX-License-Identifier: MIT
// MIT, because a copy stands in each page that a user makes, and may go wherever that goes.
// page.js - what makes a page quicker to use; everything on it can be read without. It needs nothing from elsewhere.
'use strict';
