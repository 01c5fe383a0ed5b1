"""Readers of the vendors' files, one module per vendor."""
