"""Reading one page at crawl time: links, text, language, fingerprints; in processes beside us."""
