/** Finds files that look like event files but are ignored, and explains why. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** Suffixes that programs add to a name: Notepad's `.txt`, a copy, a backup. */
const YAML_WITH_SUFFIX_PATTERN = /^(?<id>[a-z][a-z0-9 _-]*?)\.ya?ml(?<more>[^/]*)$/i
/** Documents, and files without an extension, that are named like an event: a name and a year. */
const EVENT_FILE_PATTERN =
  /^(?<id>[a-z]+[ _-]?20\d\d)(?<more>|\.(?:docx?|rtf|odt|txt|pages|html?|json|ya?m|yalm|ymal|yamll?|yanl|yml?l|csv|xlsx?|pdf))$/i
/** Extensions of copies that a user or an editor keeps next to the file on purpose. */
const BACKUP_SUFFIX_PATTERN = /^(\.(bak|old|orig|save|swp|backup)|~)\d*$/i

/** Returns a sentence for each ignored file, sorted by name. A backup next to the file itself is not a mistake. */
export async function findIgnoredFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => !name.startsWith('.') && !/\.ya?ml$/.test(name))
    .sort()
    .flatMap((name) => {
      const nameParts = (YAML_WITH_SUFFIX_PATTERN.exec(name) ?? EVENT_FILE_PATTERN.exec(name))
        ?.groups
      if (nameParts === undefined) return []
      const id = (nameParts['id'] ?? '').toLowerCase().replace(/[^a-z0-9]/g, '')
      const suffix = nameParts['more'] ?? ''
      const correctName = `${id}.yaml`
      const hasCorrectFile = names.some(
        (otherName) => otherName === correctName || otherName === `${id}.yml`,
      )
      const isYamlName = YAML_WITH_SUFFIX_PATTERN.test(name)
      if (hasCorrectFile && (BACKUP_SUFFIX_PATTERN.test(suffix) || !isYamlName)) return []
      const reason =
        isYamlName && suffix === ''
          ? 'its extension must be .yaml in lower case'
          : /^\.(docx?|rtf|odt|pages|pdf|xlsx?|html?)$/i.test(suffix)
            ? `an event file is plain text with the extension .yaml, not ${suffix}`
            : suffix === ''
              ? 'it has no extension'
              : `its name ends in ${/[^.]*$/.exec(suffix)?.[0] === suffix ? suffix : suffix.slice(suffix.lastIndexOf('.'))}, not in .yaml`
      const advice = /^\.(docx?|rtf|odt|pages|pdf|xlsx?|html?|csv)$/i.test(suffix)
        ? `save its text as ${correctName}`
        : hasCorrectFile
          ? `only ${correctName} is read; put the changes there`
          : `rename it to ${correctName}`
      return [
        `${path.join(folder, name)} is not read: ${reason}. ${advice[0]?.toUpperCase()}${advice.slice(1)}.`,
      ]
    })
}
