"""What each asset does, as one function: the Dagster assets and the CLI both call these."""
