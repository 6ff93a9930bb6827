/**
 * The part of a measured page that all targets share: the first call, loops of calls and of transactions, and how long the page
 * drew no frame meanwhile.
 *
 * A target has `call(to, data)`, `transact()`, which is over when the transaction is in a block, `setCode(address, code)` and
 * `blockNumber()`.
 */

/** The identity precompile. */
const IDENTITY = '0x0000000000000000000000000000000000000004'

/** @param open starts a target with the options in the address of the page */
export async function begin(open) {
  try {
    const node = await open(Object.fromEntries(new URLSearchParams(location.search)))
    const answer = await node.call(IDENTITY, '0x2a')
    globalThis.firstAnswerMs = performance.now()
    if (answer !== '0x2a') throw new Error(`the first call answered ${answer}`)
    // Notes in the server which scripts were loaded until now.
    await fetch('/first-call')
    Object.assign(globalThis, { node, measureCalls, measureIdle, measureTransactions, sendFor, isReady: true })
  } catch (error) {
    globalThis.failure = String(error?.stack ?? error)
  }
}

/** @returns the longest frame of a page that does nothing, which is what else the machine does */
const measureIdle = (ms) => repeat(() => new Promise((resolve) => setTimeout(resolve, ms)), ms)

/** @returns calls per second, and the longest frame */
function measureCalls(to, data, ms) {
  return repeat(() => node.call(to, data), ms)
}

/** @returns transactions per second, and the longest frame */
async function measureTransactions(ms) {
  const before = await node.blockNumber()
  const measured = await repeat(() => node.transact(), ms)
  const blocks = (await node.blockNumber()) - before
  if (blocks !== measured.count) throw new Error(`${measured.count} transactions are in ${blocks} blocks`)
  return measured
}

/** Sends beside other tabs. @returns transactions per second */
async function sendFor(ms) {
  const { perSecond } = await repeat(() => node.transact(), ms)
  return perSecond
}

/** Does something again and again, one after the other. */
async function repeat(work, ms) {
  await nextFrame()
  const frames = watchFrames()
  const startedMs = performance.now()
  let count = 0
  let passedMs = 0
  for (; passedMs < ms; passedMs = performance.now() - startedMs) {
    await work()
    count++
  }
  return { count, perSecond: (count * 1000) / passedMs, longestFrameMs: await frames.end() }
}

function watchFrames() {
  let [last, longest, isOver] = [performance.now(), 0, false]
  const note = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) requestAnimationFrame(note)
  }
  requestAnimationFrame(note)
  const end = async () => {
    await nextFrame()
    isOver = true
    return longest
  }
  return { end }
}

/** Resolves after all that waits for the next frame. */
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
