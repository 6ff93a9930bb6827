import {
  FRAME_ADDRESS,
  REQUEST_DATA,
  REQUEST_DATA_LENGTH,
  REQUEST_TOPIC_COUNT,
  REQUEST_TOPICS,
} from './assembly/layout.ts'
import type { MessageExecution } from './messageExecution.ts'

const TOPIC_BYTES = 32

/** EXIT_LOG */
export function takeLog({ instance, marks, effects }: MessageExecution): void {
  marks.openAll()
  const topics: Uint8Array[] = []
  const count = instance.u32(REQUEST_TOPIC_COUNT)
  for (let i = 0; i < count; i++) topics.push(instance.copy(REQUEST_TOPICS + i * TOPIC_BYTES, TOPIC_BYTES))
  effects.logs.push({
    address: instance.address(instance.frame + FRAME_ADDRESS),
    topics,
    data: instance.copy(instance.u32(REQUEST_DATA), instance.u32(REQUEST_DATA_LENGTH)),
  })
}
