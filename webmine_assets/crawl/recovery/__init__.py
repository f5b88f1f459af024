"""What survives kill -9: the journal of responses, its replay, and the spools."""
