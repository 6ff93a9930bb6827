import type { VNode } from 'preact'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { byteSize } from '../../format/numbers.ts'
import { saveFile } from '../../state/saveFile.ts'
import type { Reply } from './send.ts'

/** Characters that are shown; the copy and the file have all. */
const MAX_SHOWN = 100_000

interface Props {
  readonly reply: Reply
  readonly name: string
}

export function ReplyBox({ reply, name }: Props): VNode {
  const { isError, text, milliseconds, advice } = reply
  return (
    <div class="reply">
      <p class="row" role="status">
        <Badge tone={isError ? 'bad' : 'good'}>{isError ? 'error' : 'result'}</Badge>
        <span class="muted">
          {milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms, {byteSize(text.length)}
        </span>
        <CopyButton text={text} label="the answer" />
        {text.length > MAX_SHOWN && (
          <Button onClick={() => saveFile(`${name}.json`, text, 'application/json')}>Save all</Button>
        )}
      </p>
      {advice && <p>{advice}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}</pre>
    </div>
  )
}
