/**
 * Says in the title of the page that its chain is a fork, as long as it is.
 * @module
 */
const NOTICE = '[fork] '

let observer: MutationObserver | undefined

function mark(): void {
  if (!document.title.startsWith(NOTICE)) document.title = NOTICE + document.title
}

export const titleNotice = {
  show(): void {
    if (observer !== undefined) return
    mark()
    observer = new MutationObserver(mark)
    observer.observe(document.documentElement, { childList: true, subtree: true, characterData: true })
  },
  hide(): void {
    observer?.disconnect()
    observer = undefined
    if (document.title.startsWith(NOTICE)) document.title = document.title.slice(NOTICE.length)
  },
}
