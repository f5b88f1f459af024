"""The rule workshop: selectors for an element, proposals from words, and what a rule would do."""
