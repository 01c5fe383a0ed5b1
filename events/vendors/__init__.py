# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers of the vendors' files, one module per vendor."""
