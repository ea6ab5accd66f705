/** What stands below how a registration stands, from top to bottom; each draws nothing where it has nothing to say. */
import type { ComponentType } from 'react'
import { Cancel } from './cancel.tsx'
import { Documents } from './documents.tsx'
import { Edit } from './edit.tsx'
import { Files } from './files.tsx'
import { Offer } from './offer.tsx'
import type { PanelProps } from './panel.ts'
import { Told } from './told.tsx'

export const PANELS: readonly ComponentType<PanelProps>[] = [
  Told,
  Offer,
  Documents,
  Files,
  Edit,
  Cancel,
]
