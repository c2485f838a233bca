"""What privacy means: losses, neighbors, sensitivity, estimates, and how laws are compared."""
