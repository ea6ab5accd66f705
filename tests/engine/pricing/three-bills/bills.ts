/** Reads the tables of bills in this folder, and formats bill lines as in those tables. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import {
  day,
  readInstant,
  startOfDay,
  type Instant,
  type RawAnswers,
} from '../../../../engine/index.ts'
import type { WireLine } from '../../../../engine/api/bill-lines.ts'

export const BILL_EVENTS = ['nidancon2027', 'nilarun2027', 'soiltalk2027'] as const

/** A row of a table. The table files explain the columns. */
export type Bill = {
  readonly who: string
  readonly on: string
  readonly given?: RawAnswers
  readonly code?: string
  readonly kind?: 'life' | 'annual'
  readonly full?: readonly string[]
  readonly lines: readonly string[]
  readonly total: number | string
}

export function readBills(eventId: string): readonly Bill[] {
  return parse(readFileSync(join(import.meta.dirname, `${eventId}.yaml`), 'utf8')) as Bill[]
}

/** Returns the time for which a bill is computed: the given time, or the start of the given day. */
export function getBillInstant({ on }: Bill): Instant {
  return on.includes('T') ? (readInstant(on) as Instant) : startOfDay(day(on))
}

/** Formats a line in rupees, as in `workshop.ecg 1 × 1750 = 1750 + 315`. */
export function formatLine({ id, option, quantity, unit, base, gst }: WireLine): string {
  const itemId = option === null ? id : `${id}.${option}`
  return `${itemId} ${quantity} × ${unit === 0 ? 'free' : unit} = ${base} + ${gst}`
}
