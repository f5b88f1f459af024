"""Pure rules about URLs and pages: robots, scope, traps, content policy."""
