/** Manages files uploaded before their registration, and the tokens that identify them. */
import { createHash, randomBytes } from 'node:crypto'
import { err, ok, getOwn } from '../../../engine/index.ts'
import type { EventConfig, Instant, Result } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { DraftProof } from '../../storage/index.ts'
import { DRAFT_LIFETIME_MS } from './store-uploaded-files.ts'

/** 256 random bits, so that a token cannot be guessed. */
const TOKEN_BYTES = 32
/** The format of a token, which replaces a file in an answer. No file has such a name. */
const TOKEN_PATTERN = /^proof\.[A-Za-z0-9_-]{43}$/

export function createToken(): string {
  return `proof.${randomBytes(TOKEN_BYTES).toString('base64url')}`
}

/** Only the hash is stored, so a reader of the database cannot submit another delegate's file. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The uploads whose tokens the answers contain, by field, and errors for uploads that no longer exist. */
export type DraftUploads = ReadonlyMap<string, Result<DraftProof, 'gone'>>

const NO_DRAFTS: DraftUploads = new Map()

/**
 * Finds the uploads whose tokens are in these answers; an upload for another event or field is ignored. Runs no query
 * if there are no tokens.
 */
export function findDrafts(
  deps: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  values: Readonly<Record<string, unknown>>,
  at: Instant,
): DraftUploads | Promise<DraftUploads> {
  const tokens = event.fields.flatMap(({ id, type }): [string, string][] => {
    const value = type === 'file' ? getOwn(values, id) : null
    return typeof value === 'string' && TOKEN_PATTERN.test(value.trim()) ? [[id, value.trim()]] : []
  })
  return tokens.length === 0 ? NO_DRAFTS : holdDrafts(deps, event, tokens, at)
}

/**
 * Returns the draft for this field with the hash of its token, and protects its file from the sweep. Null if there is
 * no draft.
 */
export async function holdDraft(
  { store, uploads }: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  field: string,
  token: string,
  at: Instant,
): Promise<{ readonly proof: DraftProof; readonly tokenHash: string } | null> {
  if (!TOKEN_PATTERN.test(token)) return null
  const tokenHash = hashToken(token)
  const proof = await store.draftUpload(tokenHash)
  const isMatch = proof !== null && proof.eventId === event.id && proof.field === field
  return isMatch && at - proof.at < DRAFT_LIFETIME_MS && (await uploads.protectFile(proof.sha256))
    ? { proof, tokenHash }
    : null
}

async function holdDrafts(
  deps: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  tokens: readonly (readonly [id: string, token: string])[],
  at: Instant,
): Promise<DraftUploads> {
  const drafts = new Map<string, Result<DraftProof, 'gone'>>()
  for (const [id, token] of tokens) {
    const draft = await holdDraft(deps, event, id, token, at)
    drafts.set(id, draft === null ? err('gone') : ok(draft.proof))
  }
  return drafts
}
