import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/states.tsx'
import { refreshHead } from '../../state/live.ts'
import { CopyRequest } from './CopyRequest.tsx'
import type { ConsoleRequest } from './consoleRequest.ts'
import { ReplyBox } from './ReplyBox.tsx'
import { RequestLine } from './RequestLine.tsx'
import { addToBatch, forgetAll, history } from './requests.ts'
import { type Reply, send } from './send.ts'

/** Requests of this tab, newest first. Requests with keys or passwords are not in it. */
export function History(): VNode {
  const [replies, setReplies] = useState<ReadonlyMap<ConsoleRequest, Reply>>(new Map())
  if (history.value.length === 0) return <Empty title="Nothing was sent yet." />
  const sendAgain = async (request: ConsoleRequest): Promise<void> => {
    const reply = await send(request)
    setReplies((before) => new Map(before).set(request, reply))
    refreshHead()
  }
  return (
    <section class="card stack">
      <ol class="requests">
        {history.value.map((request) => (
          <li key={JSON.stringify(request)} data-row="">
            <RequestLine request={request} />
            <div class="row">
              <Button onClick={() => void sendAgain(request)}>Send again</Button>
              <Button onClick={() => void addToBatch(request)}>Add to the batch</Button>
              <CopyRequest request={request} />
            </div>
            {replies.get(request) && <ReplyBox reply={replies.get(request) as Reply} name={request.method} />}
          </li>
        ))}
      </ol>
      <div>
        <Button onClick={forgetAll}>Forget all</Button>
      </div>
    </section>
  )
}
