import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { Field } from '../../components/Field.tsx'
import { Empty, Skeleton } from '../../components/states.tsx'
import type { Ask } from '../../rpc/ask.ts'
import { offers } from '../../rpc/capabilities.ts'
import type { ContractInfo, ContractSource } from '../../rpc/isonode.ts'
import { capabilities } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import { SourcePanel } from './SourcePanel.tsx'
import type { Frame, Moment } from './types.ts'
import { useLast } from './useLast.ts'
import type { Mover } from './useMover.ts'

interface Props {
  readonly frame: Frame | undefined
  readonly moment: Moment | undefined
  readonly mover: Mover
}

/** The source of the running code, of which the reader may open another file until the debugger moves. */
export function SourceArea({ frame, moment, mover }: Props): VNode {
  const name = moment?.source?.name
  const address = frame?.codeAddress
  const isAsked = address !== undefined && offers(capabilities.value, 'isonode')
  const query = useQuery<ContractSource>(isAsked ? `source ${address} ${name ?? ''}` : undefined, (ask) =>
    askSource(ask, address ?? '', name),
  )
  const source = useLast(query.data)
  const [chosen, setChosen] = useState<string | undefined>(undefined)
  useEffect(() => setChosen(undefined), [moment?.step])
  const place = moment?.source ?? undefined
  if (!isAsked || query.phase === 'gone') return <NoSource isOffered={isAsked} />
  if (source === undefined) {
    return (
      <Answer query={query} what="the source">
        {() => <Skeleton />}
      </Answer>
    )
  }
  const files = source.sources.filter(({ content }) => content !== null)
  const path = chosen ?? place?.path ?? source.sourceName
  const shown = files.find((file) => file.path === path) ?? files[0]
  if (shown === undefined) return <NoSource isOffered={isAsked} />
  return (
    <>
      {files.length > 1 && (
        <Field
          label="File"
          value={shown.path}
          choices={files.map((file) => [file.path, file.path] as const)}
          onInput={(value) => setChosen(value === place?.path ? undefined : value)}
        />
      )}
      <SourcePanel
        key={shown.path}
        path={shown.path}
        content={shown.content ?? ''}
        place={place?.path === shown.path ? place : undefined}
        costs={moment?.lines ?? []}
        onRunTo={(line, direction) =>
          mover.find(`line ${line}`, { line: { source: shown.path, line }, newLine: true }, direction)
        }
      />
    </>
  )
}

/** By the code of the account; a contract that is being created has none, and is found by its name. */
async function askSource(ask: Ask, address: string, name: string | undefined): Promise<ContractSource | null> {
  const info = await ask<ContractInfo | null>('isonode_contractAt', address)
  const id = info?.hasSource === true ? info.id : await idOf(ask, name)
  return id === undefined ? null : ask('isonode_source', id)
}

async function idOf(ask: Ask, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined
  const contracts = await ask<readonly { readonly id: string; readonly name: string }[]>('isonode_contracts')
  return contracts.find((contract) => contract.name === name)?.id
}

function NoSource({ isOffered }: { readonly isOffered: boolean }): VNode {
  return (
    <Empty title="The source of this code is not known.">
      <p>
        {isOffered
          ? 'Start the node with --abi=FOLDER, where FOLDER holds the artifacts and the build information of the project.'
          : 'The node does not offer the group ISONODE. Start it with --rpc-http-api=…,ISONODE to see sources.'}
      </p>
    </Empty>
  )
}
