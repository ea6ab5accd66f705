/** Manages proofs uploaded ahead of their registration, and the tokens that name them. */
import { createHash, randomBytes } from 'node:crypto'
import { err, ok, getOwn } from '../../../engine/index.ts'
import type { EventConfig, Instant, Result } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { DraftProof } from '../../storage/index.ts'
import { DRAFT_MS } from './store-uploaded-files.ts'

/** 256 random bits: cannot be guessed. */
const TOKEN_BYTES = 32
/** Stands for a file in an answer; cannot be a file name. */
const TOKEN = /^proof\.[A-Za-z0-9_-]{43}$/

export function newToken(): string {
  return `proof.${randomBytes(TOKEN_BYTES).toString('base64url')}`
}

/** Only the hash is stored, so reading the database does not allow naming a proof. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/**
 * The uploads that the answers name by token, by field. For an upload that no longer exists, nothing else is
 * known.
 */
export type Drafts = ReadonlyMap<string, Result<DraftProof, 'gone'>>

const NONE: Drafts = new Map()

/**
 * Finds the proofs named by tokens in these answers; one of another event or field does not count. Does no query
 * if there are no tokens.
 */
export function draftsIn(
  deps: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  values: Readonly<Record<string, unknown>>,
  at: Instant,
): Drafts | Promise<Drafts> {
  const named = event.fields.flatMap(({ id, type }): [string, string][] => {
    const value = type === 'file' ? getOwn(values, id) : null
    return typeof value === 'string' && TOKEN.test(value.trim()) ? [[id, value.trim()]] : []
  })
  return named.length === 0 ? NONE : found(deps, event, named, at)
}

/**
 * Returns the draft for this field, held so that it is not swept, with the hash of its token; null: there is
 * none.
 */
export async function heldDraft(
  { store, uploads }: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  field: string,
  token: string,
  at: Instant,
): Promise<{ readonly proof: DraftProof; readonly tokenHash: string } | null> {
  if (!TOKEN.test(token)) return null
  const tokenHash = hashOfToken(token)
  const proof = await store.draft(tokenHash)
  const isTheirs = proof !== null && proof.eventId === event.id && proof.field === field
  return isTheirs && at - proof.at < DRAFT_MS && (await uploads.hold(proof.sha256))
    ? { proof, tokenHash }
    : null
}

async function found(
  deps: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  named: readonly (readonly [id: string, token: string])[],
  at: Instant,
): Promise<Drafts> {
  const drafts = new Map<string, Result<DraftProof, 'gone'>>()
  for (const [id, token] of named) {
    const draft = await heldDraft(deps, event, id, token, at)
    drafts.set(id, draft === null ? err('gone') : ok(draft.proof))
  }
  return drafts
}
