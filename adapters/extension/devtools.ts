/**
 * Adds the panel to the developer tools.
 * @module
 */
chrome.devtools?.panels.create('isonode', '', 'panel.html')
