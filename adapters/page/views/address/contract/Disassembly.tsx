import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { Section } from '../../../components/Page.tsx'
import { VirtualList } from '../../../components/VirtualList.tsx'
import { disassemble, type Instruction } from './disassemble.ts'

const LINE_HEIGHT = 20

export function Disassembly({ code }: { readonly code: string }): VNode {
  const instructions = useMemo(() => disassemble(code), [code])
  return (
    <Section title="Disassembly" actions={<CopyButton text={code} label="code" />}>
      <VirtualList
        label="Instructions"
        count={instructions.length}
        rowHeight={LINE_HEIGHT}
        maxRows={24}
        renderRow={(i) => {
          const { pc, name, operand } = instructions[i] as Instruction
          return (
            <span class="code-line">
              <span class="line-number">{pc}</span>
              {name} {operand}
            </span>
          )
        }}
      />
    </Section>
  )
}
