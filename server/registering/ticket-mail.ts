/** What goes along with the mail of a ticket: the number as a code for the desk, the days for the calendar. */
import { renderAsync } from '@resvg/resvg-js'
import { renderSVG } from 'uqr'
import { CODE_LOOK } from '../../engine/index.ts'
import type { EventConfig, Instant } from '../../engine/index.ts'
import { calendarOf } from '../events/calendar.ts'
import type { QueuedMail } from '../store/store.ts'

export type Attachment = {
  readonly filename: string
  readonly content: Buffer | string
  readonly contentType: string
}

/** Mails of these kinds are tickets. */
const TICKETS: ReadonlySet<QueuedMail['kind']> = new Set(['confirmation', 'again', 'asked'])
/** As wide as a phone shows it, and sharp on paper. */
const CODE_PIXELS = 480

/** `event` null: its file is gone; the mail goes without. */
export async function attachmentsOf(
  event: EventConfig | null,
  { kind, regNo }: Pick<QueuedMail, 'kind' | 'regNo'>,
  publicUrl: string,
  at: Instant,
): Promise<readonly Attachment[]> {
  if (event === null || regNo === null || !TICKETS.has(kind)) return []
  const svg = renderSVG(regNo, CODE_LOOK)
  const image = await renderAsync(svg, { fitTo: { mode: 'width', value: CODE_PIXELS } })
  return [
    { filename: `${regNo}.png`, content: image.asPng(), contentType: 'image/png' },
    {
      filename: `${event.id}.ics`,
      content: calendarOf(event, publicUrl, at),
      contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
    },
  ]
}
