import {
  END_HALT,
  END_REVERT,
  END_SELFDESTRUCT,
  END_SUCCESS,
  FRAME_FLAGS,
  FRAME_IS_CREATE,
  REQUEST_END,
} from './assembly/layout.ts'
import { deployCode } from './creations.ts'
import type { MessageExecution } from './messageExecution.ts'
import { selfDestruct } from './selfDestruct.ts'

/** EXIT_FRAME_END: completes the frame's changes outside the module and commits or reverts them. */
export function endFrame(execution: MessageExecution): void {
  const { instance, marks } = execution
  const end = instance.u32(REQUEST_END)
  const isCreate = (instance.u32(instance.frame + FRAME_FLAGS) & FRAME_IS_CREATE) !== 0
  if (end === END_SELFDESTRUCT) selfDestruct(execution)
  else if (end === END_SUCCESS && isCreate) deployCode(execution)
  const decided = instance.u32(REQUEST_END)
  if (decided === END_HALT || decided === END_REVERT) marks.revert()
  else marks.commit()
}
