"""When a page needs a browser, and a browser that has no network of its own."""
