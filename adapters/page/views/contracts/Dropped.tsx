import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { Section } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { useAction } from '../../state/action.ts'
import {
  dropped,
  droppedContracts,
  forgetContract,
  type Known,
  keepContracts,
  noteDeployments,
} from '../../state/dropped/droppedContracts.ts'
import { type DroppedContract, MAX_FILE_BYTES, readDroppedFile } from '../../state/dropped/droppedFile.ts'
import { genesisHash } from '../../state/live.ts'
import { AddressList } from './AddressList.tsx'
import { createdContracts } from './createdContracts.ts'
import { DropZone } from './DropZone.tsx'
import { Nameless } from './Nameless.tsx'

const MAX_FILES = 2000
const MAX_PROBLEMS = 5

/** Contracts from files of the reader. They stay in the browser. */
export function Dropped(): VNode {
  const { isBusy, error, run } = useAction()
  const [problems, setProblems] = useState<readonly string[]>([])
  /** Plain ABIs, which say nothing of the code. */
  const [withoutCode, setWithoutCode] = useState<readonly DroppedContract[]>([])
  const genesis = genesisHash.value
  useEffect(() => {
    if (genesis === undefined) return
    run(async () => {
      const { known } = await droppedContracts()
      if (known.length > 0) await noteDeployments(await createdContracts())
      return undefined
    })
  }, [genesis])

  const add = (files: readonly File[]): void =>
    run(async () => {
      const read = await readFiles(files.slice(0, MAX_FILES))
      setProblems(read.problems)
      setWithoutCode(read.contracts.filter(({ artifact }) => artifact.runtime === undefined && hasItems(artifact)))
      const count = await keepContracts(read.contracts)
      if (count > 0) await noteDeployments(await createdContracts())
      return count === 0 ? undefined : `${count === 1 ? 'One contract is' : `${count} contracts are`} known now.`
    })
  return (
    <Section title="Dropped on this page">
      <p class="muted">Names, ABIs and codes stay in this browser, for this chain. Nothing is sent anywhere.</p>
      <DropZone isBusy={isBusy} onFiles={add} />
      {error && (
        <p class="error-text" role="alert">
          {error}
        </p>
      )}
      {problems.length > 0 && (
        <ul class="plain" role="alert">
          {problems.slice(0, MAX_PROBLEMS).map((problem) => (
            <li key={problem} class="error-text">
              {problem}
            </li>
          ))}
          {problems.length > MAX_PROBLEMS && <li>and {problems.length - MAX_PROBLEMS} further files.</li>}
        </ul>
      )}
      {withoutCode.map((contract) => (
        <Nameless
          key={contract.artifact.name}
          contract={contract}
          onDone={() => setWithoutCode(withoutCode.filter((one) => one !== contract))}
        />
      ))}
      {dropped.value.length === 0 ? (
        <Empty title="No contracts yet." />
      ) : (
        <Table label="Dropped contracts" columns={COLUMNS} rows={dropped.value} keyOf={({ id }) => id} />
      )}
    </Section>
  )
}

const COLUMNS: readonly Column<Known>[] = [
  {
    title: 'Contract',
    render: ({ artifact, addresses: [first] }) =>
      first === undefined ? artifact.name : <a href={`#/address/${first}?tab=contract`}>{artifact.name}</a>,
  },
  { title: 'Source', render: ({ sourceName }) => sourceName ?? <span class="muted">not known</span> },
  { title: 'Deployed at', render: ({ addresses }) => <AddressList addresses={addresses} /> },
  {
    title: '',
    isNumber: true,
    render: (contract) => (
      <Button label={`Forget ${contract.artifact.name}`} onClick={() => void forgetContract(contract)}>
        Forget
      </Button>
    ),
  },
]

function hasItems({ functions, errors, events }: DroppedContract['artifact']): boolean {
  return functions.length + errors.length + events.length > 0
}

interface ReadFiles {
  readonly contracts: readonly DroppedContract[]
  readonly problems: readonly string[]
}

/** One after the other: build information may have many megabytes. */
async function readFiles(files: readonly File[]): Promise<ReadFiles> {
  const contracts: DroppedContract[] = []
  const problems: string[] = []
  for (const file of files) {
    if (file.size > MAX_FILE_BYTES) {
      problems.push(`${file.name}: it is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB.`)
      continue
    }
    const read = readDroppedFile(await file.text(), file.name)
    contracts.push(...read.contracts)
    if (read.problem !== undefined) problems.push(`${file.name}: ${read.problem}`)
  }
  return { contracts, problems }
}
