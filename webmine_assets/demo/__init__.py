"""The bundled demo sites and the server that serves them on loopback."""
