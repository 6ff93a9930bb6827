/**
 * The hidden page in which the nodes of forks run: the offscreen document, or in Firefox a frame of the background page.
 * @module
 */
const PAGE = 'node.html'

export async function openNodePage(): Promise<void> {
  if (chrome.offscreen === undefined) {
    if (document.querySelector('iframe') !== null) return
    const frame = document.createElement('iframe')
    frame.src = PAGE
    document.body.append(frame)
  } else if (!(await chrome.offscreen.hasDocument())) {
    const justification = 'Runs the Ethereum node of a fork, which must not end with an idle background script.'
    await chrome.offscreen.createDocument({ url: PAGE, reasons: ['WORKERS'], justification })
  }
}

export async function closeNodePage(): Promise<void> {
  if (chrome.offscreen === undefined) document.querySelector('iframe')?.remove()
  else if (await chrome.offscreen.hasDocument()) await chrome.offscreen.closeDocument()
}
