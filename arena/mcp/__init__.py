"""Agents at the table: a server of the Model Context Protocol (MCP), through which an agent plays."""
