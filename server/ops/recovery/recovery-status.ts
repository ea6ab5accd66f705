/** Describes the state after a restore for the office, the command line and rollcall doctor. */
import { dayOf, formatCount, formatInstant } from '../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Recovery, RecoveryFigures } from '../../storage/index.ts'

export type RecoveryStatus = {
  /** Null if the installation is not in recovery. */
  readonly recovery: Recovery | null
  readonly figures: RecoveryFigures
  readonly uploads: { readonly missing: number; readonly unused: number }
}
type RecoveryStatusDeps = Pick<Deps, 'store' | 'clock'> & {
  readonly uploads: Pick<Deps['uploads'], 'listHashes'>
}

export async function readRecoveryStatus(
  deps: RecoveryStatusDeps,
  events: readonly Pick<EventConfig, 'id' | 'retention'>[],
): Promise<RecoveryStatus> {
  const { store, clock } = deps
  const [recovery, figures, uploads] = await Promise.all([
    store.recovery(),
    store.recoveryFigures(listEventsDueForErasure(events, clock())),
    countUploadDifferences(deps),
  ])
  return { recovery, figures, uploads }
}

/** Returns the ids of events whose registrations are due to be erased. */
export function listEventsDueForErasure(
  events: readonly Pick<EventConfig, 'id' | 'retention'>[],
  at: Instant,
): readonly string[] {
  const today = dayOf(at)
  return events
    .filter(({ retention }) => retention.answers !== null && today > retention.answers)
    .map(({ id }) => id)
}

/** Counts referenced uploads that are missing, and stored uploads without a reference. */
async function countUploadDifferences({
  store,
  uploads,
}: Pick<RecoveryStatusDeps, 'store' | 'uploads'>): Promise<RecoveryStatus['uploads']> {
  const storedHashes = new Set(await uploads.listHashes())
  const referencedHashes = new Set(await store.referencedFiles())
  return {
    missing: [...referencedHashes].filter((sha256) => !storedHashes.has(sha256)).length,
    unused: [...storedHashes].filter((sha256) => !referencedHashes.has(sha256)).length,
  }
}

/** Describes the recovery in sentences. */
export function describeRecovery({
  recovery,
  figures,
  uploads,
}: RecoveryStatus): readonly string[] {
  if (recovery === null) return ['The installation is not in recovery.']
  const { pending, unknown, held, series } = figures
  const times = [
    recovery.copyAt === null ? null : `The copy was made on ${formatInstant(recovery.copyAt)}`,
    recovery.storedAt === null
      ? null
      : `its newest record is from ${formatInstant(recovery.storedAt)}`,
    recovery.servedAt === null
      ? null
      : `this server stored newer records until ${formatInstant(recovery.servedAt)}`,
  ].filter((part) => part !== null)
  return [
    `The installation has been in recovery since ${formatInstant(recovery.begunAt)}. ${recovery.why}`,
    ...(times.length === 0 ? [] : [`${capitalise(times.join('; '))}.`]),
    `Payments that were pending in the copy: ${formatNumber(pending.all)}; ${formatNumber(pending.asked)} were checked with the gateway, and ${formatNumber(pending.ended)} are no longer pending.`,
    `Payments for orders that are not in the database: ${formatNumber(unknown.toDecide)} waiting for a decision. Order ids that may exist and have not yet been checked with the gateway: ${formatNumber(unknown.toAsk)}.`,
    `Held: ${formatNumber(held.mails)} emails (${formatNumber(held.since)} of them queued since the restore), ${formatNumber(held.refunds)} refunds, the erasure of ${formatNumber(held.erasures)} registrations.`,
    series.length === 0
      ? `New invoices and credit notes have ${recovery.code} in their numbers.`
      : `New invoices and credit notes have ${recovery.code} in their numbers: ${series.map(({ pattern, last }) => `${pattern} (${last} so far)`).join(', ')}.`,
    `Uploaded files: ${formatNumber(uploads.missing)} that registrations refer to are missing, and ${formatNumber(uploads.unused)} do not belong to any registration in the database.`,
  ]
}

const formatNumber = (n: number): string => formatCount(n)
const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
