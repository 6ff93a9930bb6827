/** Runs frames from one exit to the next. */
import { readNextBlock, runsByBlocks } from './blocks'
import { interpretByBlocks, interpretChecked, interpretStepping } from './interpreter'
import { EXIT_NO_MEMORY, EXIT_PAUSED, FRAME_GAS, STATE_FRAME, STATE_PENDING, STATE_STEPPING } from './layout'
import { pauseMark, setMark, storeBudget } from './pause'
import { settle } from './settle'
import { answered } from './slow'
import { SWITCHED, UNPAID } from './status'

/** Runs until the host is needed. Returns EXIT_*. */
export function run(): i32 {
  setMark()
  const pending = load<u32>(STATE_PENDING)
  let status = SWITCHED
  if (pending !== 0) {
    const answer = answered(pending)
    if (answer === EXIT_NO_MEMORY) return answer
    status = settle(answer, 0)
    // Otherwise settle() has recorded the new request.
    if (status === SWITCHED) store<u32>(STATE_PENDING, 0)
  }
  const isStepping = load<u32>(STATE_STEPPING) !== 0
  while (status === SWITCHED) {
    // Recursion executes no JUMPDEST, so the budget is also checked between frames.
    if (load<i64>(load<u32>(STATE_FRAME), FRAME_GAS) < pauseMark) status = EXIT_PAUSED
    else status = isStepping ? interpretStepping() : interpretFreely()
  }
  storeBudget()
  return status
}

/** Runs by blocks. From a block that cannot be paid for until the next jump, it runs with checks per opcode. */
function interpretFreely(): i32 {
  while (runsByBlocks()) {
    const status = interpretByBlocks()
    if (status !== UNPAID) return status
    if (!readNextBlock()) break
  }
  return interpretChecked()
}
