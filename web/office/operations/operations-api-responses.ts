/** Parsers of the answers about emails and event files. */
import { readInstant } from '../../../engine/index.ts'
import type {
  EventFilesAnswer,
  MailsAnswer,
  RecoveryAnswer,
  WireEventFile,
  WireMail,
} from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, listOf } from '../../app/json-readers.ts'

const isTextOrNone = (value: unknown): boolean => value === null || typeof value === 'string'
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && readInstant(value) !== null

export const readMails: Reader<MailsAnswer> = (body) =>
  isRecord(body) &&
  isRecord(body['counts']) &&
  hasAll(body['counts'], 'number', 'queued', 'failed', 'sent') &&
  hasAll(body, 'number', 'counted_to') &&
  listOf(body['mails'], readMail) !== null &&
  (body['before'] === null || typeof body['before'] === 'number')
    ? (body as MailsAnswer)
    : null

const readMail = (value: unknown): WireMail | null =>
  isRecord(value) &&
  hasAll(value, 'number', 'id', 'tries') &&
  hasAll(value, 'string', 'to', 'subject', 'event_id', 'event', 'status') &&
  isInstant(value['at']) &&
  (value['next_at'] === null || isInstant(value['next_at'])) &&
  isTextOrNone(value['reg_no']) &&
  isTextOrNone(value['error'])
    ? (value as WireMail)
    : null

export const readEventFiles: Reader<EventFilesAnswer> = (body) =>
  isRecord(body) && listOf(body['files'], readFile) !== null ? (body as EventFilesAnswer) : null

const readFile = (value: unknown): WireEventFile | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'file', 'is') &&
  ['event_id', 'title', 'version', 'why', 'findings'].every((name) => isTextOrNone(value[name]))
    ? (value as WireEventFile)
    : null

export const readRecovery: Reader<RecoveryAnswer> = (body) =>
  isRecord(body) &&
  (body['recovery'] === null || isRecovery(body['recovery'])) &&
  listOf(body['past'], (one) =>
    isRecord(one) && hasAll(one, 'string', 'code', 'begun_at', 'ended_at', 'ended_by', 'mails')
      ? one
      : null,
  ) !== null
    ? (body as RecoveryAnswer)
    : null

const FIGURES = {
  pending: ['all', 'asked', 'ended'],
  unknown: ['to_decide', 'to_ask'],
  held: ['mails', 'since', 'refunds', 'erasures'],
  uploads: ['missing', 'unused'],
} as const

const isRecovery = (value: unknown): boolean =>
  isRecord(value) &&
  isInstant(value['begun_at']) &&
  hasAll(value, 'string', 'why', 'code') &&
  ['copy_at', 'stored_at', 'served_at'].every(
    (name) => value[name] === null || isInstant(value[name]),
  ) &&
  Object.entries(FIGURES).every(([name, numbers]) => {
    const figures = value[name]
    return isRecord(figures) && hasAll(figures, 'number', ...numbers)
  }) &&
  listOf(value['mails'], (one) =>
    isRecord(one) && hasAll(one, 'string', 'to', 'subject', 'event') && isInstant(one['at'])
      ? one
      : null,
  ) !== null &&
  listOf(value['series'], (one) =>
    isRecord(one) && hasAll(one, 'string', 'pattern', 'year') && hasAll(one, 'number', 'last')
      ? one
      : null,
  ) !== null
