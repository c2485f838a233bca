"""Spark, when one machine is not enough."""
