import type { VNode } from 'preact'
import { functionsOf } from '../../../abi/functions.ts'
import { Answer } from '../../../components/Answer.tsx'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { Section } from '../../../components/Page.tsx'
import { Empty } from '../../../components/states.tsx'
import type { ContractInfo } from '../../../rpc/isonode.ts'
import { useQuery } from '../../../state/query.ts'
import { Disassembly } from './Disassembly.tsx'
import { SourceFiles } from './SourceFiles.tsx'

interface Props {
  readonly address: string
  readonly contract: ContractInfo | undefined
}

export function ContractTab({ address, contract }: Props): VNode {
  const code = useQuery<string>(`code ${address}`, (ask) => ask('eth_getCode', address, 'latest'))
  return (
    <div class="stack">
      {contract?.hasSource && <SourceFiles id={contract.id} />}
      {contract !== undefined && contract.abi.length > 0 && <Abi contract={contract} />}
      <Answer query={code} what="the code">
        {(hex) => (hex === '0x' ? <Empty title="The account has no code now." /> : <Disassembly code={hex} />)}
      </Answer>
    </div>
  )
}

function Abi({ contract }: { readonly contract: ContractInfo }): VNode {
  const functions = functionsOf(contract.abi)
  return (
    <Section title="ABI" actions={<CopyButton text={JSON.stringify(contract.abi)} label="ABI" />}>
      <ul class="plain">
        {functions.map(({ selector, signature, isRead }) => (
          <li key={selector}>
            <code>{selector}</code> <code>{signature}</code> <span class="muted">{isRead ? 'reads' : 'writes'}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
