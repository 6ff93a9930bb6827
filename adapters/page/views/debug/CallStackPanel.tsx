import type { VNode } from 'preact'
import { Address } from '../../components/Hash.tsx'
import { shortened } from '../../format/hex.ts'
import type { Frame, Moment, RunningFunction, Variable } from './types.ts'

interface Props {
  /** undefined without a source */
  readonly moment: Moment | undefined
  /** The open calls, innermost first. */
  readonly frames: readonly Frame[]
  readonly onOpen: (step: number) => void
}

/** Calls and functions that are running, innermost first. */
export function CallStackPanel({ moment, frames, onOpen }: Props): VNode {
  const functions = moment?.functions ?? []
  return (
    <ol class="call-stack">
      {frames.map((frame) => {
        const own = functions.filter((each) => each.frame === frame.id)
        return (
          <li key={frame.id}>
            {own.map((running, i) => (
              <FunctionRow key={i} running={running} />
            ))}
            <div class="call-frame">
              <button type="button" class="link" onClick={() => frame.firstStep !== null && onOpen(frame.firstStep)}>
                {frame.type}
              </button>{' '}
              <Address value={frame.codeAddress} name={own[0]?.contract} />
            </div>
          </li>
        )
      })}
    </ol>
  )
}

function FunctionRow({ running }: { readonly running: RunningFunction }): VNode {
  const { contract, name, args, source } = running
  return (
    <div class="call-function">
      <code>
        {contract}.{name}({args.map(argumentText).join(', ')})
      </code>
      {source && (
        <span class="hint">
          {' '}
          {source.path}:{source.line}
        </span>
      )}
    </div>
  )
}

/** The panel of variables has the whole value. */
const MAX_ARGUMENT = 60

function argumentText({ name, type, text, known }: Variable): string {
  const value = type.startsWith('address') ? shortened(text) : text.slice(0, MAX_ARGUMENT)
  return `${name === '' ? '' : `${name}: `}${known ? value : 'not known'}`
}
