"""A survey on the web: answers are randomized in the browser, reports collected and estimated."""
