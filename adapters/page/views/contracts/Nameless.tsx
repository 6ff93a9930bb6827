import type { VNode } from 'preact'
import { ActionForm } from '../../components/ActionForm.tsx'
import { byteLength } from '../../format/hex.ts'
import { ADDRESS } from '../../format/inputKinds.ts'
import { keepContracts } from '../../state/dropped/droppedContracts.ts'
import { type DroppedContract, readContract } from '../../state/dropped/droppedFile.ts'
import { request } from '../../state/node.ts'

interface Props {
  readonly contract: DroppedContract
  readonly onDone: () => void
}

/** Asks where a contract is whose file has no code. */
export function Nameless({ contract: { artifact, text }, onDone }: Props): VNode {
  const { name } = artifact
  return (
    <ActionForm
      title={`${name} has no code in its file`}
      text="At which address is it deployed?"
      submit="Use for this code"
      fields={[{ label: 'Address', kind: ADDRESS, placeholder: '0x…' }]}
      run={async ([address]) => {
        const deployedBytecode = await request<string>('eth_getCode', [address, 'latest'])
        if (byteLength(deployedBytecode) === 0) throw new RangeError('There is no code at this address.')
        const { abi } = JSON.parse(text) as { readonly abi: unknown }
        const contract = readContract({ abi, contractName: name, deployedBytecode }, name)
        if (contract === undefined) throw new RangeError('ABI and code are too long.')
        await keepContracts([contract], [String(address).toLowerCase()])
        onDone()
        return `${name} is known now.`
      }}
    />
  )
}
