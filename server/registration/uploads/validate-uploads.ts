/** Checks the files of a request against the fields of the form. */
import { err, ok, memoize, findVisibleFields } from '../../../engine/index.ts'
import {
  formatFileTypes,
  formatMessage,
  UPLOAD_REFUSAL_MESSAGES,
} from '../../../engine/messages.ts'
import type {
  Answers,
  EventConfig,
  PricingContext,
  Field,
  FieldErrors,
  RawAnswers,
  Result,
} from '../../../engine/index.ts'
import type { Deps, ReceivedFile } from '../../dependencies.ts'
import type { Body, FileLimits } from '../../http/request-body.ts'
import type { NewRegistration } from '../../storage/index.ts'
import type { DraftUploads } from './draft-uploads.ts'

type FieldFile = { readonly field: Field; readonly name: string; readonly file: ReceivedFile }
type Upload = NewRegistration['uploads'][number]
/** The data to store about the files, and the files to keep. */
export type ValidatedFiles = {
  readonly uploads: readonly Upload[]
  readonly files: readonly ReceivedFile[]
}

/** Returns the size limit in bytes of each file field. */
export const getFileLimits = memoize((event: EventConfig) => buildFileLimits(event.fields))

/** Like `getFileLimits`, for any list of fields. */
export function buildFileLimits(fields: readonly Field[]): FileLimits {
  return new Map(
    fields.flatMap(({ id, type, maxBytes }) =>
      type === 'file' && maxBytes !== undefined ? [[id, maxBytes] as const] : [],
    ),
  )
}

/**
 * Returns the answers as sent. The answer of a file field is the file's name, if the file was sent with the request
 * or before it.
 */
export function readRawAnswers(
  event: EventConfig,
  body: Body,
  drafts: DraftUploads,
): Readonly<Record<string, unknown>> {
  const fields = event.fields.filter(({ type }) => type === 'file')
  const isInBody = ({ id }: Field): boolean => Object.hasOwn(body.values, id)
  if (body.files.size === 0 && !fields.some(isInBody)) return body.values
  const raw: Record<string, unknown> = Object.assign(
    Object.create(null) as Record<string, unknown>,
    body.values,
  )
  for (const { id } of fields) {
    const sent = body.files.get(id)
    const draft = drafts.get(id)
    if (sent !== undefined && sent.file.bytes > 0) raw[id] = sent.name
    else if (draft?.ok === true) raw[id] = draft.value.name
    else delete raw[id]
  }
  return raw
}

/** Checks the files of visible fields; others are dropped like any hidden answer. `answers` must already be checked. */
export function checkFiles(
  deps: Pick<Deps, 'uploads'>,
  event: EventConfig,
  answers: Answers,
  sent: Body['files'],
  drafts: DraftUploads,
): Result<ValidatedFiles, FieldErrors> | Promise<Result<ValidatedFiles, FieldErrors>> {
  return sent.size === 0 && drafts.size === 0
    ? NO_FILES
    : checkEachFile(deps, event, answers, sent, drafts)
}

const NO_FILES: Result<ValidatedFiles, never> = ok({ uploads: [], files: [] })

async function checkEachFile(
  deps: Pick<Deps, 'uploads'>,
  event: EventConfig,
  answers: Answers,
  sent: Body['files'],
  drafts: DraftUploads,
): Promise<Result<ValidatedFiles, FieldErrors>> {
  const errors: Record<string, string> = {}
  const uploads: Upload[] = []
  const files = findVisibleFiles(event, answers, sent)
  const filesToKeep: ReceivedFile[] = []
  // Earlier uploads were checked and stored on arrival. A file sent with the answers takes precedence.
  for (const [id, draft] of drafts) {
    if (!draft.ok || !Object.hasOwn(answers, id) || files.some(({ field }) => field.id === id))
      continue
    const { field, sha256, name, type, bytes } = draft.value
    uploads.push({ field, sha256, name, type, bytes })
  }
  for (const { field, name: sentName, file } of files) {
    const type = await deps.uploads.detectType(file, sentName, field.accept ?? [])
    if (type === null) errors[field.id] = describeWrongContent(field)
    else {
      // The checked answer is a file name of limited length, without folders or invisible characters.
      const name = String(answers[field.id])
      const strippedFile = await deps.uploads.removePhotoMetadata(file, type)
      filesToKeep.push(strippedFile)
      uploads.push({
        field: field.id,
        sha256: strippedFile.sha256,
        name,
        type,
        bytes: strippedFile.bytes,
      })
    }
  }
  return Object.keys(errors).length > 0 ? err(errors) : ok({ uploads, files: filesToKeep })
}

/** Names the types that the field accepts ("This file is not a PDF, JPG or PNG."), before the event's own message. */
export function describeWrongContent({ accept, invalid }: Field): string {
  const types = formatFileTypes(accept)
  const { wrongContent, chooseAnother } = UPLOAD_REFUSAL_MESSAGES
  const error = invalid === '' ? chooseAnother : invalid
  return types === '' ? error : formatMessage(wrongContent, { types, error })
}

function findVisibleFiles(
  event: EventConfig,
  answers: Answers,
  sent: Body['files'],
): readonly FieldFile[] {
  return event.fields.flatMap((field) => {
    const sentFile =
      field.type === 'file' && Object.hasOwn(answers, field.id) ? sent.get(field.id) : undefined
    return sentFile === undefined || sentFile.file.bytes === 0 ? [] : [{ field, ...sentFile }]
  })
}

/**
 * The message for an upload that has expired or been withdrawn. It is shown only for visible fields, because the
 * delegate cannot correct hidden ones.
 */
export const FILE_EXPIRED = UPLOAD_REFUSAL_MESSAGES.expired

/** Returns a message for each field whose uploaded file is missing. */
export function findMissingFiles(
  event: EventConfig,
  body: Body,
  drafts: DraftUploads,
  raw: RawAnswers,
  context: PricingContext,
): FieldErrors {
  const missingUploads = [...drafts].filter(
    ([id, { ok: isFound }]) => !isFound && !body.files.has(id),
  )
  if (missingUploads.length === 0) return {}
  const visibleFields = findVisibleFields(event, raw, context)
  return Object.fromEntries(
    missingUploads.flatMap(([id]) => (visibleFields.has(id) ? [[id, FILE_EXPIRED] as const] : [])),
  )
}
