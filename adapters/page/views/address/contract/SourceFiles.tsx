import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Answer } from '../../../components/Answer.tsx'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { Field } from '../../../components/Field.tsx'
import { Section } from '../../../components/Page.tsx'
import { VirtualList } from '../../../components/VirtualList.tsx'
import type { ContractSource } from '../../../rpc/isonode.ts'
import { useQuery } from '../../../state/query.ts'

const LINE_HEIGHT = 20

/** The source files of a contract, by its id. */
export function SourceFiles({ id }: { readonly id: string }): VNode {
  const query = useQuery<ContractSource>(`source ${id}`, (ask) => ask('isonode_source', id))
  return (
    <Answer query={query} what="the source" gone="The source is not known any longer.">
      {(source) => <Files source={source} />}
    </Answer>
  )
}

function Files({ source }: { readonly source: ContractSource }): VNode {
  const files = source.sources.filter(({ content }) => content !== null)
  const main = Math.max(
    0,
    files.findIndex(({ path }) => path === source.sourceName),
  )
  const [chosen, setChosen] = useState(String(main))
  const content = files[Number(chosen)]?.content ?? ''
  const lines = content.split('\n')
  const settings = [source.compiler, source.isOptimised && 'optimised', source.viaIR && 'via IR']
    .filter(Boolean)
    .join(', ')
  return (
    <Section title="Source" actions={<CopyButton text={content} label="source file" />}>
      <p class="muted">{settings}</p>
      {files.length > 1 && (
        <Field
          label="File"
          value={chosen}
          onInput={setChosen}
          choices={files.map(({ path }, i) => [String(i), path])}
        />
      )}
      <VirtualList
        key={chosen}
        label="Source"
        count={lines.length}
        rowHeight={LINE_HEIGHT}
        maxRows={30}
        renderRow={(i) => (
          <span class="code-line">
            <span class="line-number">{i + 1}</span>
            {lines[i]?.slice(0, 1000)}
          </span>
        )}
      />
    </Section>
  )
}
