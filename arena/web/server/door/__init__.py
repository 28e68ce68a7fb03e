"""The pages of the door. They store what is handed in, and start nothing: that is the worker's task."""
