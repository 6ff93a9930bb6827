/**
 * The background script: starts the hook on sites that the user chose, and carries messages between the pages of the
 * extension and the inspected pages.
 * @module
 */
import { closeNodePage, openNodePage } from './link/nodePage.ts'
import { Relay } from './link/relay.ts'
import { startHook } from './link/siteScripts.ts'

const relay = new Relay({
  root: chrome.runtime.getURL(''),
  startHook,
  openNodePage,
  closeNodePage,
})

chrome.runtime.onConnect.addListener((port) => relay.accept(port))
chrome.action.onClicked.addListener(({ id, url }) => {
  const place = new URLSearchParams({ tab: String(id), url: url ?? '' })
  void chrome.tabs.create({ url: chrome.runtime.getURL(`panel.html?${place}`) })
})
