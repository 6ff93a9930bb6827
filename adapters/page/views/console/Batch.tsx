import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Empty } from '../../components/states.tsx'
import { nodeUrl } from '../../rpc/provider.ts'
import { refreshHead } from '../../state/live.ts'
import { curlRequests } from './copyRequest.ts'
import { ReplyBox } from './ReplyBox.tsx'
import { RequestLine } from './RequestLine.tsx'
import { batch } from './requests.ts'
import { type Reply, send } from './send.ts'

/** Requests that are sent together. The answers are in the order of the requests. */
export function Batch(): VNode {
  const [replies, setReplies] = useState<readonly Reply[]>([])
  const [isBusy, setBusy] = useState(false)
  const requests = batch.value
  if (requests.length === 0) {
    return (
      <Empty title="The batch is empty.">
        <p>Fill in a method and add it to the batch.</p>
      </Empty>
    )
  }
  const sendAll = async (): Promise<void> => {
    setBusy(true)
    setReplies(await Promise.all(requests.map((request) => send(request))))
    setBusy(false)
    refreshHead()
  }
  const change = (next: typeof requests): void => {
    batch.value = next
    setReplies([])
  }
  const url = nodeUrl()
  return (
    <section class="card stack">
      <div class="row">
        <Button kind="primary" isBusy={isBusy} onClick={() => void sendAll()}>
          Send all
        </Button>
        <Button onClick={() => change([])}>Empty the batch</Button>
        {url && (
          <CopyButton text={curlRequests(url, requests)} label="the batch for curl">
            curl
          </CopyButton>
        )}
      </div>
      <ol class="requests">
        {requests.map((request, i) => (
          <li key={i}>
            <div class="row">
              <RequestLine request={request} />
              <Button
                label={`Remove request ${i + 1}`}
                onClick={() => change(requests.filter((_, other) => other !== i))}
              >
                Remove
              </Button>
            </div>
            {replies[i] && <ReplyBox reply={replies[i]} name={request.method} />}
          </li>
        ))}
      </ol>
    </section>
  )
}
