"""Reports as static web pages, with boards and plots as SVG."""
