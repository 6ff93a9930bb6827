import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { plainText } from '../../../src/abi/plainText.ts'
import { VERSION } from '../../../src/node/version.ts'
import { type Recording, writeRecording } from '../../../src/replay/recording.ts'
import { type ReplayReport, replay } from '../../../src/replay/replay.ts'
import { Button } from '../../page/components/Button.tsx'
import { saveFile } from '../../page/state/saveFile.ts'
import { patternOf } from '../link/siteScripts.ts'
import { writeHar } from '../recording/har.ts'
import { viemScript } from '../recording/viemScript.ts'
import {
  clear,
  command,
  fork,
  inspectedSite,
  isRecording,
  lost,
  origin,
  recorder,
  request,
  startHook,
} from './session.ts'

export function Controls(): VNode {
  const isHooked = origin.value !== undefined
  return (
    <div class="controls">
      <div class="row">
        {isHooked ? (
          <Button onClick={() => (isRecording.value = !isRecording.value)}>
            {isRecording.value ? 'Pause' : 'Record'}
          </Button>
        ) : (
          <Start />
        )}
        <Button onClick={clear}>Clear</Button>
        <ForkButton isPossible={isHooked} />
        <Exports />
      </div>
      {lost.value > 0 && <p class="note">{lost.value} calls are not kept: there were too many.</p>}
      <ForkNotice />
    </div>
  )
}

/** The permission for the site is asked for when it is used. */
function Start(): VNode {
  const [fault, setFault] = useState<string>()
  const start = async (): Promise<void> => {
    const site = await inspectedSite()
    if (site === undefined) return setFault('This page cannot be recorded.')
    const isGranted = await chrome.permissions.request({ origins: [patternOf(site)] })
    if (isGranted) startHook(site)
    else setFault(`Without the permission for ${site}, only its HTTP requests are seen.`)
  }
  return (
    <>
      <Button kind="primary" onClick={start}>
        Record the wallets of this site
      </Button>
      {fault && <span role="status">{fault}</span>}
    </>
  )
}

function ForkButton({ isPossible }: { readonly isPossible: boolean }): VNode {
  const { kind } = fork.value
  if (kind === 'forked') return <Button onClick={() => command('back')}>Back</Button>
  return (
    <Button onClick={() => command('fork')} isBusy={kind === 'opening'} isDisabled={!isPossible}>
      Fork here
    </Button>
  )
}

function ForkNotice(): VNode | null {
  const state = fork.value
  if (state.kind === 'failed') return <p role="alert">{plainText(state.message, 300)}</p>
  if (state.kind !== 'forked') return null
  return (
    <p class="note" role="status">
      The page uses a fork of chain {BigInt(state.chainId).toString()} at block {BigInt(state.block).toString()}
      {state.account === undefined ? '' : `, as ${state.account}`}. Nothing is signed or sent for real.
    </p>
  )
}

function Exports(): VNode {
  const [report, setReport] = useState<string>()
  const again = async (): Promise<void> => {
    setReport('Replaying…')
    const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
    const ask = (method: string, params: unknown): Promise<unknown> => request(method, params as readonly unknown[])
    setReport(await replay(recording(), { request: ask, wait }).then(reportText, (error: Error) => error.message))
  }
  return (
    <>
      <Button onClick={() => saveFile('recording.json', writeRecording(recording()), 'application/json')}>Save</Button>
      <Button onClick={() => saveFile('recording.har', writeHar(recording(), VERSION), 'application/json')}>HAR</Button>
      <Button onClick={() => saveFile('recording.mjs', viemScript(recording()), 'text/javascript')}>viem script</Button>
      <Button onClick={again} isDisabled={fork.value.kind !== 'forked'}>
        Replay on the fork
      </Button>
      {report && <output class="replay">{report}</output>}
    </>
  )
}

function recording(): Recording {
  const state = fork.value
  return {
    origin: origin.value ?? '',
    ...(state.kind === 'forked' ? { chainId: state.chainId, block: state.block } : {}),
    calls: recorder.entries.map(({ call }) => call),
  }
}

function reportText({ compared, sent, differences }: ReplayReport): string {
  const [first] = differences
  const more = first === undefined ? '' : `: call ${first.call} ${first.method} ${first.path}`
  return `${compared} compared, ${sent} sent, ${differences.length} differences${plainText(more, 200)}`
}
