import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { functionsOf } from '../../abi/functions.ts'
import { Answer } from '../../components/Answer.tsx'
import { Empty } from '../../components/states.tsx'
import { VirtualList } from '../../components/VirtualList.tsx'
import { contractAt } from '../../state/meaning.ts'
import { useQuery } from '../../state/query.ts'
import { disassemble, type Instruction } from '../address/contract/disassemble.ts'
import { breakpoints, toggle } from './breakpointList.ts'
import { jumpTargets } from './jumpTargets.ts'
import type { Frame } from './types.ts'

interface Props {
  readonly frame: Frame | undefined
  /** Where the step is. */
  readonly pc: number
}

const ROW_HEIGHT = 24
const MAX_ROWS = 16

/** The running code as instructions. A creation runs its input. */
export function CodePanel({ frame, pc }: Props): VNode {
  const isCreation = frame?.type.startsWith('CREATE') === true
  const address = frame?.codeAddress
  const key = address === undefined || isCreation ? undefined : `code ${address}`
  const query = useQuery<string>(key, (ask) => ask('eth_getCode', address, 'latest'))
  if (isCreation) return <Instructions code={frame.input} pc={pc} address={frame.codeAddress} />
  if (address === undefined) return <Empty title="The code is not known." />
  return (
    <Answer query={query} what="the code">
      {(code) => <Instructions code={code} pc={pc} address={address} />}
    </Answer>
  )
}

interface InstructionsProps {
  readonly code: string
  readonly pc: number
  readonly address: string
}

function Instructions({ code, pc, address }: InstructionsProps): VNode {
  const instructions = useMemo(() => disassemble(code), [code])
  const targets = useMemo(() => jumpTargets(instructions), [instructions])
  const abi = contractAt(address).value?.abi
  const names = useMemo(() => new Map(functionsOf(abi ?? []).map((one) => [one.selector, one.signature])), [abi])
  if (instructions.length === 0) return <Empty title="The account has no code now." />
  const marked = new Set(
    breakpoints.value.flatMap((one) => (one.kind === 'pc' && one.address === address ? [one.pc] : [])),
  )
  return (
    <VirtualList
      label="Instructions"
      count={instructions.length}
      rowHeight={ROW_HEIGHT}
      maxRows={MAX_ROWS}
      active={instructions.findIndex((instruction) => instruction.pc === pc)}
      renderRow={(row) => {
        const { pc: at, name, operand } = instructions[row] as Instruction
        const selector = targets.get(at) ?? (name === 'PUSH4' ? operand : undefined)
        const label = selector === undefined ? undefined : (names.get(selector) ?? targets.get(at))
        return (
          <div
            class={`debug-line${at === pc ? ' current' : ''}`}
            aria-current={at === pc ? 'step' : undefined}
            data-row
          >
            <button
              type="button"
              class={`code-number${marked.has(at) ? ' marked' : ''}`}
              aria-pressed={marked.has(at)}
              aria-label={`Breakpoint at ${at}`}
              tabIndex={at === pc ? 0 : -1}
              onClick={() => toggle({ kind: 'pc', address, pc: at })}
            >
              {at}
            </button>
            <code>
              {name} {operand}
            </code>
            {label !== undefined && <span class="jump-name">{label}</span>}
          </div>
        )
      }}
    />
  )
}
