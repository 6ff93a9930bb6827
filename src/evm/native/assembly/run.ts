/** From one exit to the next, frame by frame. */
import { readNextBlock, runsByBlocks } from './blocks'
import { interpretByBlocks, interpretChecked, interpretStepping } from './interpreter'
import { EXIT_NO_MEMORY, EXIT_PAUSED, FRAME_GAS, STATE_FRAME, STATE_PENDING, STATE_STEPPING } from './layout'
import { pauseMark, setMark, storeBudget } from './pause'
import { settle } from './settle'
import { answered } from './slow'
import { SWITCHED, UNPAID } from './status'

/** Runs until the host is needed; EXIT_*. */
export function run(): i32 {
  setMark()
  const pending = load<u32>(STATE_PENDING)
  let status = SWITCHED
  if (pending !== 0) {
    const answer = answered(pending)
    if (answer === EXIT_NO_MEMORY) return answer
    status = settle(answer, 0)
    // A request of its own has been noted by settle.
    if (status === SWITCHED) store<u32>(STATE_PENDING, 0)
  }
  const isStepping = load<u32>(STATE_STEPPING) !== 0
  while (status === SWITCHED) {
    // Recursion passes no JUMPDEST.
    if (load<i64>(load<u32>(STATE_FRAME), FRAME_GAS) < pauseMark) status = EXIT_PAUSED
    else status = isStepping ? interpretStepping() : interpretFreely()
  }
  storeBudget()
  return status
}

/** By blocks, and with checks from a block that cannot be paid for to the next jump. */
function interpretFreely(): i32 {
  while (runsByBlocks()) {
    const status = interpretByBlocks()
    if (status !== UNPAID) return status
    if (!readNextBlock()) break
  }
  return interpretChecked()
}
