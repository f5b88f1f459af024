"""Stored pages made harmless, so that they can be looked at."""
