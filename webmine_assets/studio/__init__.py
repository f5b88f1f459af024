"""The studio: a web page that shows the corpus and teaches it rules."""
