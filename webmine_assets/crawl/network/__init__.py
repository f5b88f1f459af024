"""The one guarded door to the network: who is asked, how gently, and what may come back."""
