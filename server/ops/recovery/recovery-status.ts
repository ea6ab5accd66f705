/** Describes the state after a restore, for the office, the command and the doctor. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { dayOf, formatCount, formatInstant } from '../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Recovery, RecoveryFigures } from '../../storage/index.ts'

export type RecoveryStatus = {
  /** Null if it is not in recovery. */
  readonly recovery: Recovery | null
  readonly figures: RecoveryFigures
  readonly uploads: { readonly missing: number; readonly unused: number }
}
type StandingDeps = Pick<Deps, 'store' | 'clock'> & {
  readonly environment: Pick<Deps['environment'], 'dataDir'>
}

const HASH = /^[0-9a-f]{64}$/

export async function recoveryStatusOf(
  deps: StandingDeps,
  events: readonly Pick<EventConfig, 'id' | 'retention'>[],
): Promise<RecoveryStatus> {
  const { store, clock } = deps
  const [recovery, figures, uploads] = await Promise.all([
    store.recovery(),
    store.recoveryFigures(dueToErase(events, clock())),
    uploadsBeside(deps),
  ])
  return { recovery, figures, uploads }
}

/** The events whose registrations are due to be erased. */
export function dueToErase(
  events: readonly Pick<EventConfig, 'id' | 'retention'>[],
  at: Instant,
): readonly string[] {
  const today = dayOf(at)
  return events
    .filter(({ retention }) => retention.answers !== null && today > retention.answers)
    .map(({ id }) => id)
}

/** Counts referenced files that are missing, and existing files without a reference. */
async function uploadsBeside({
  store,
  environment,
}: Pick<StandingDeps, 'store' | 'environment'>): Promise<RecoveryStatus['uploads']> {
  const { proofs } = store
  const there = new Set(
    proofs === null
      ? await hashesIn(path.join(environment.dataDir, 'uploads'))
      : await proofs.hashes(),
  )
  const referred = new Set(await store.filesReferred())
  return {
    missing: [...referred].filter((sha256) => !there.has(sha256)).length,
    unused: [...there].filter((sha256) => !referred.has(sha256)).length,
  }
}

async function hashesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const sub of await readdir(folder).catch(() => []))
    if (/^[0-9a-f]{2}$/.test(sub))
      found.push(
        ...(await readdir(path.join(folder, sub)).catch(() => [])).filter((name) =>
          HASH.test(name),
        ),
      )
  return found
}

/** Describes the differences, in sentences. */
export function sentencesOf({ recovery, figures, uploads }: RecoveryStatus): readonly string[] {
  if (recovery === null) return ['The installation is not in recovery.']
  const { pending, unknown, held, series } = figures
  const when = [
    recovery.copyAt === null ? null : `The copy was made at ${formatInstant(recovery.copyAt)}`,
    recovery.storedAt === null
      ? null
      : `its newest record is of ${formatInstant(recovery.storedAt)}`,
    recovery.servedAt === null
      ? null
      : `this server noted newer records until ${formatInstant(recovery.servedAt)}`,
  ].filter((part) => part !== null)
  return [
    `The installation is in recovery since ${formatInstant(recovery.begunAt)}. ${recovery.why}`,
    ...(when.length === 0 ? [] : [`${capital(when.join('; '))}.`]),
    `Payments that were pending in the copy: ${count(pending.all)}; the gateway was asked about ${count(pending.asked)}, and ${count(pending.ended)} are not pending any more.`,
    `Payments for orders that are not in the database: ${count(unknown.toDecide)} wait for a decision, and the gateway is still to be asked about ${count(unknown.toAsk)} possible orders.`,
    `Held: ${count(held.mails)} emails (${count(held.since)} of them written since the restart), ${count(held.refunds)} refunds, the erasure of ${count(held.erasures)} registrations.`,
    series.length === 0
      ? `New invoices and credit notes have ${recovery.code} in their numbers.`
      : `New invoices and credit notes have ${recovery.code} in their numbers: ${series.map(({ pattern, last }) => `${pattern} (${last} so far)`).join(', ')}.`,
    `Uploaded files: ${count(uploads.missing)} that registrations refer to are missing, and ${count(uploads.unused)} belong to no registration in the database.`,
  ]
}

const count = (n: number): string => formatCount(n)
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
