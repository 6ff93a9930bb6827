/**
 * The log of the dev chain as text or records.
 * @module
 */
import type { Paint, Tone } from '../../src/activityLog/lines.ts'
import type { ActivityOutput, Report } from '../../src/activityLog/output.ts'
import type { LogLevel } from '../../src/base/ports/host.ts'
import type { OutputEvent } from './outputEvent.ts'
import { plainStyle, type Style } from './style.ts'

/** Where the events of a node are written. */
export interface EventOutput {
  shows(level: LogLevel): boolean
  /** Whether readers are slower than the node. */
  readonly isBehind: boolean
  reportAll(events: readonly OutputEvent[]): void
}

/** Turns log entries of the dev chain into events of an output. */
export function activityOutput(output: EventOutput): ActivityOutput {
  return {
    get isOn() {
      return output.shows('info')
    },
    get isBehind() {
      return output.isBehind
    },
    write: (reports) => output.reportAll(reports.map((report) => new ReportEvent(report))),
  }
}

/** Computes only the form (text or JSON) that is written. */
class ReportEvent implements OutputEvent {
  readonly level: LogLevel
  readonly message: string
  readonly timeMs: number | undefined
  readonly #report: Report

  constructor(report: Report) {
    this.level = report.level
    this.message = report.kind
    this.timeMs = report.timeMs
    this.#report = report
  }

  get fields(): Readonly<Record<string, unknown>> {
    return this.#report.record()
  }

  text(style: Style): string {
    return this.#report.text(style === plainStyle ? plain : painter(style))
  }
}

const plain: Paint = (_, text) => text

let lastPainter: { readonly style: Style; readonly paint: Paint } | undefined

/** One painter serves all reports in the same style. */
function painter(style: Style): Paint {
  if (lastPainter?.style !== style) lastPainter = { style, paint: (tone, text) => paint(tone, text, style) }
  return lastPainter.paint
}

function paint(tone: Tone, text: string, style: Style): string {
  switch (tone) {
    case 'dim':
      return style.dim(text)
    case 'good':
      return style.green(text)
    case 'bad':
      return style.red(text)
    case 'name':
      return style.cyan(text)
    case 'output':
      return style.yellow(text)
    case 'transaction':
      return style.link(`tx/${text}`, text)
    case 'block':
      return style.link(`block/${text}`, text)
    case 'address':
      return style.link(`address/${text}`, text)
  }
}
