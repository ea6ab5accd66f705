/** Parsers of the answers about accounts, users and the audit log. */
import { isRole, readInstant } from '../../../engine/index.ts'
import type {
  AccountAnswer,
  ActivityAnswer,
  PasswordLinkAnswer,
  UsersAnswer,
  UserChangedAnswer,
  RecoveryCodesAnswer,
  SecondFactorAnswer,
  WireActivity,
  WireUser,
  WireSession,
} from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, listOf } from '../../app/json-readers.ts'
import type { Unread } from '../../app/json-readers.ts'

const isText = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && readInstant(value) !== null
const isInstantOrNone = (value: unknown): boolean => value === null || isInstant(value)
const isEvents = (value: unknown): boolean => value === null || listOf(value, isText) !== null

export const readAccount: Reader<AccountAnswer> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'username') &&
  isRole(body['role']) &&
  isEvents(body['events']) &&
  isRecord(body['second_factor']) &&
  hasAll(body['second_factor'], 'boolean', 'is_on', 'is_required') &&
  hasAll(body['second_factor'], 'number', 'recovery_codes_left') &&
  listOf(body['sessions'], readSessionSeen) !== null
    ? (body as AccountAnswer)
    : null

const readSessionSeen = (value: unknown): WireSession | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'id', 'network', 'browser') &&
  hasAll(value, 'boolean', 'is_this') &&
  isInstant(value['signed_in_at']) &&
  isInstant(value['seen_at'])
    ? (value as WireSession)
    : null

export const readSecret: Reader<SecondFactorAnswer> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'secret', 'address')
    ? (body as SecondFactorAnswer)
    : null

export const readRecoveryCodes: Reader<RecoveryCodesAnswer> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'message') &&
  listOf(body['recovery_codes'], isText) !== null
    ? (body as RecoveryCodesAnswer)
    : null

export const readPeople: Reader<UsersAnswer> = (body) =>
  isRecord(body) &&
  hasAll(body, 'boolean', 'second_factor_required') &&
  listOf(body['people'], readPerson) !== null &&
  listOf(body['events'], readTitle) !== null
    ? (body as UsersAnswer)
    : null

const readTitle = (value: unknown): Unread | null =>
  isRecord(value) && hasAll(value, 'string', 'id', 'title') ? value : null

const readPerson = (value: unknown): WireUser | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'username') &&
  isRole(value['role']) &&
  isEvents(value['events']) &&
  hasAll(value, 'boolean', 'has_second_factor') &&
  isInstant(value['added_at']) &&
  isInstantOrNone(value['signed_in_at']) &&
  isInstantOrNone(value['invited_until'])
    ? (value as WireUser)
    : null

export const readPersonChanged: Reader<UserChangedAnswer> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'message') &&
  (body['link'] === null || typeof body['link'] === 'string')
    ? (body as UserChangedAnswer)
    : null

export const readPasswordLink: Reader<PasswordLinkAnswer> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'username') ? (body as PasswordLinkAnswer) : null

export const readActivity: Reader<ActivityAnswer> = (body) =>
  isRecord(body) &&
  listOf(body['rows'], readAct) !== null &&
  (body['before'] === null || typeof body['before'] === 'number') &&
  listOf(body['people'], isText) !== null
    ? (body as ActivityAnswer)
    : null

const readAct = (value: unknown): WireActivity | null =>
  isRecord(value) &&
  hasAll(value, 'number', 'id') &&
  hasAll(value, 'string', 'who', 'what', 'event') &&
  isInstant(value['at']) &&
  (value['reg_no'] === null || typeof value['reg_no'] === 'string') &&
  (value['event_id'] === null || typeof value['event_id'] === 'string')
    ? (value as WireActivity)
    : null
