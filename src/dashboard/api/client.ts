/**
 * Parlance
 * 0.1.0
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: ".."
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {
    server1: ".."
};
export type Interpolation = {
    /** 1 to 20 characters. */
    prefix: string;
    /** 1 to 20 characters. */
    suffix: string;
};
export type Project = {
    /** The slug of the project. */
    slug: string;
    /** 1 to 100 characters after trimming. */
    name: string;
    /** A BCP 47 language tag, kept as written. */
    sourceLanguage: string;
    /** `i18next-json` nests keys at dots; `i18next-json-flat` keeps dots literal. */
    defaultFormat: "i18next-json" | "i18next-json-flat";
    /** What stands around placeholders in the project's texts, as in i18next's `interpolation`. Absent: `{{` and `}}`. */
    interpolation?: Interpolation;
};
export type Error = {
    /** One sentence that names the culprit and says what would be right. */
    error: string;
};
export type NewProject = {
    /** Letters, digits and `. _ -` inside, at most 64; unique in the organization whatever its case. */
    slug: string;
    /** 1 to 100 characters after trimming. */
    name: string;
    /** A BCP 47 language tag, kept as written. */
    sourceLanguage: string;
    /** `i18next-json` (the default) or `i18next-json-flat`. */
    defaultFormat?: string;
    /** What stands around placeholders in the project's texts, as in i18next's `interpolation`. Absent: `{{` and `}}`. */
    interpolation?: Interpolation;
};
export type Manifest = {
    /** `i18next-json` nests keys at dots; `i18next-json-flat` keeps dots literal. */
    defaultFormat: "i18next-json" | "i18next-json-flat";
    /** What stands around placeholders in the project's texts, as in i18next's `interpolation`. Absent: `{{` and `}}`. */
    interpolation?: Interpolation;
    /** A BCP 47 language tag, kept as written. */
    sourceLanguage: string;
    languages: string[];
    namespaces: string[];
};
export type ProjectChange = {
    /** 1 to 100 characters after trimming. */
    name?: string;
    /** Another format than now rewrites every file of the project. */
    defaultFormat?: string;
    /** What `problems` compare from now on; no file is rewritten. */
    interpolation?: Interpolation;
};
export type Resource = {
    [key: string]: any;
};
export type Filled = {
    /** Keys that did not exist. */
    added: number;
    /** Keys that existed, of which a text or form was added, filled or changed. */
    updated: number;
    /** Keys that were left alone, by policy. */
    skipped: number;
};
export type Pushed = {
    /** Keys that did not exist. */
    added: number;
    /** Keys that existed, of which a text or form was added, filled or changed. */
    updated: number;
    /** Keys that were left alone, by policy. */
    skipped: number;
    /** Keys that were equal already. */
    unchanged: number;
    /** With `prune=true`: the keys that went. */
    removed?: number;
    dryRun: boolean;
    /** With `details=true`: what became of each key that was not equal already. */
    details?: {
        /** The key; a plural is named by its base. */
        key: string;
        result: "added" | "updated" | "skipped" | "removed";
        reason?: string;
    }[];
};
export type Message = string | {
    text?: string;
    cardinal?: {
        [key: string]: string;
    };
    ordinal?: {
        [key: string]: string;
    };
};
export type Key = {
    /** The key; a plural is named by its base. */
    key: string;
    /** The name of the namespace. */
    "namespace": string;
    message: Message;
};
export type Language = {
    /** A BCP 47 language tag, kept as written. */
    language: string;
    keys: Key[];
};
export type NewValue = {
    /** A text, or for a whole plural at its base key its forms by CLDR category. */
    value: string | {
        [key: string]: string;
    };
};
export type Remaining = {
    /** The key; a plural is named by its base. */
    key: string;
    /** The name of the namespace. */
    "namespace": string;
    /** What the key still holds; null when it is gone. */
    message: Message | null;
};
export type ManyPush = {
    /** The resources by language and namespace, at most 10,000. */
    bundles: {
        [key: string]: {
            [key: string]: Resource;
        };
    };
    /** The subject of the commit: 1 to 200 characters, no control characters. Told by the server if absent. */
    message?: string;
    /** By `<language>/<namespace>`, of any bundle of the project, the entity tag that it must still have, or `*` for one that must exist. One that does not exist has the tag of the empty bundle. */
    expected?: {
        [key: string]: string;
    };
};
export type ManyPushed = {
    /** The full id of the commit; where nothing changed, and on a dry run, of the newest one. */
    revision: string;
    /** Keys that did not exist. */
    added: number;
    /** Keys that existed, of which a text or form was added, filled or changed. */
    updated: number;
    /** Keys that were left alone, by policy. */
    skipped: number;
    /** Keys that were equal already. */
    unchanged: number;
    /** With `prune=true`: the keys that went. */
    removed?: number;
    dryRun: boolean;
    /** The same for each bundle, in the order of the body. */
    bundles: {
        /** A BCP 47 language tag, kept as written. */
        language: string;
        /** The name of the namespace. */
        "namespace": string;
        /** The entity tag of the bundle, as its own GET has it. */
        etag: string;
        /** Keys that did not exist. */
        added: number;
        /** Keys that existed, of which a text or form was added, filled or changed. */
        updated: number;
        /** Keys that were left alone, by policy. */
        skipped: number;
        /** Keys that were equal already. */
        unchanged: number;
        /** With `prune=true`: the keys that went. */
        removed?: number;
        /** With `details=true`: what became of each key that was not equal already. */
        details?: {
            /** The key; a plural is named by its base. */
            key: string;
            result: "added" | "updated" | "skipped" | "removed";
            reason?: string;
        }[];
    }[];
};
export type Renamed = {
    /** The name of the namespace. */
    "namespace": string;
    /** The key; a plural is named by its base and moves with all its forms. */
    "from": string;
    /** The new name, which no language may have yet. */
    to: string;
    /** Those that had the key. */
    languages: string[];
    /** The full id of the commit that renames it, and can be undone. */
    revision: string;
};
export type Deleted = {
    /** The name of the namespace. */
    "namespace": string;
    /** The key, which goes with all its forms; or the name of one form. */
    key: string;
    /** Those that had it. */
    languages: string[];
    /** The full id of the commit that deletes it, and can be undone. */
    revision: string;
};
export type Author = {
    name: string;
    email: string;
};
export type Counts = {
    /** Keys that came. */
    added: number;
    /** Keys that changed. */
    updated: number;
    /** Keys that went. */
    removed: number;
};
export type Revision = {
    /** The full id of the commit. */
    revision: string;
    author: Author;
    /** When it came to the main line, in UTC: the time that `?at=` goes by. */
    date: string;
    subject: string;
    /** Keys within what was asked for; a plural is one key. Null for a commit of more than 1,000 files whose message does not say it. */
    changes: Counts | null;
    /** Of a key's history. */
    language?: string;
    /** Of a key's history: the key of the model, which a form's name belongs to. */
    key?: string;
    /** Of a key's history: what the key held before; null is nothing. */
    before?: Message | null;
    /** And after. */
    after?: Message | null;
};
export type ProjectFields = {
    /** 1 to 100 characters after trimming. */
    name: string;
    /** A BCP 47 language tag, kept as written. */
    sourceLanguage: string;
    /** `i18next-json` nests keys at dots; `i18next-json-flat` keeps dots literal. */
    defaultFormat: "i18next-json" | "i18next-json-flat";
    /** What stands around placeholders in the project's texts, as in i18next's `interpolation`. Absent: `{{` and `}}`. */
    interpolation?: Interpolation;
};
export type Diff = {
    /** The full id of its commit; null is the time before the first one. */
    "from": string | null;
    /** The full id of its commit; null is the time before the first one. */
    to: string | null;
    /** The project's own fields when they differ; null where there is no project. Not of a single language or namespace. */
    project?: {
        before: ProjectFields | null;
        after: ProjectFields | null;
    };
    changes: {
        /** A BCP 47 language tag, kept as written. */
        language: string;
        /** The name of the namespace. */
        "namespace": string;
        /** The key; a plural is named by its base. */
        key: string;
        /** Null where the key was absent. */
        before: Message | null;
        /** Null where it is gone. */
        after: Message | null;
    }[];
    /** Of all pages together. */
    counts: Counts;
    /** The `cursor` of the next page; null at the end. */
    next: string | null;
};
export type Confirmed = {
    /** The full id of the commit; where nothing was stale, of the newest one. */
    revision: string | null;
    /** Keys that were stale and no longer are. */
    confirmed: number;
    /** Keys that were not stale, and why. */
    skipped: {
        key: string;
        reason: string;
    }[];
};
export type NamespaceStatus = {
    /** The name of the namespace. */
    "namespace": string;
    /** Keys of the source language; a plural is one. Each is missing, empty, incomplete or translated. */
    keys: number;
    /** Keys that lack nothing. */
    translated: number;
    /** Keys with a text or form that is `""`. */
    empty: number;
    /** Keys that lack a plural form which the language has, or the text that the source has. */
    incomplete: number;
    /** Keys that are not there. */
    missing: number;
    /** Filled keys whose source changed after the translation was made. */
    stale: number;
    /** Filled keys whose placeholders are not those of the source. */
    problems: number;
    /** Keys that the source language does not have, and that are not counted in `keys`. */
    extra: number;
};
export type LanguageStatus = {
    /** A BCP 47 language tag, kept as written. */
    language: string;
    /** Keys of the source language; a plural is one. Each is missing, empty, incomplete or translated. */
    keys: number;
    /** Keys that lack nothing. */
    translated: number;
    /** Keys with a text or form that is `""`. */
    empty: number;
    /** Keys that lack a plural form which the language has, or the text that the source has. */
    incomplete: number;
    /** Keys that are not there. */
    missing: number;
    /** Filled keys whose source changed after the translation was made. */
    stale: number;
    /** Filled keys whose placeholders are not those of the source. */
    problems: number;
    /** Keys that the source language does not have, and that are not counted in `keys`. */
    extra: number;
    namespaces: NamespaceStatus[];
};
export type Status = {
    /** The full id of the commit whose state this is. */
    revision: string;
    /** The language that texts are written in first. */
    sourceLanguage: string;
    /** By language; the source language has a row too. */
    languages: LanguageStatus[];
};
export type PlaceholderProblem = {
    /** The form (`few`, `ordinal_few`); absent of a text. */
    form?: string;
    kind: "interpolation" | "nesting" | "tag";
    /** Those that only the source has. */
    missing: string[];
    /** Those that only the translation has. */
    extra: string[];
};
export type KeyStatus = {
    /** The name of the namespace. */
    "namespace": string;
    /** The key; a plural is named by its base. */
    key: string;
    "is": ("missing" | "empty" | "incomplete" | "translated" | "stale" | "problems" | "extra")[];
    /** Null of an extra key. */
    source: Message | null;
    /** Null of a missing key. */
    message: Message | null;
    /** Of a stale key: the source message that the translation was made of. */
    sourceThen?: Message;
    /** The forms that it lacks (`few`, `ordinal_few`). */
    forms?: string[];
    /** By form and kind. */
    problems?: PlaceholderProblem[];
};
export type Restored = {
    /** The full id of the commit that `at` names; null is the time before the first one. */
    revision: string | null;
    /** The full id of the commit that restores it, and can be undone; null when nothing was to change, or on a dry run. */
    restoredBy: string | null;
    /** Keys that came back. */
    added: number;
    /** Keys whose message changed. */
    updated: number;
    /** Keys that went: there were none of that name then. */
    removed: number;
    /** The project's own fields, when they go back; with `dryRun` or `details`. */
    project?: {
        before: ProjectFields | null;
        after: ProjectFields | null;
    };
    dryRun: boolean;
    /** On a dry run and with `details=true`: the first 1,000 changes, fewer where their texts are long. */
    changes?: {
        /** A BCP 47 language tag, kept as written. */
        language: string;
        /** The name of the namespace. */
        "namespace": string;
        /** The key; a plural is named by its base. */
        key: string;
        /** Null where the key was absent. */
        before: Message | null;
        /** Null where it is gone. */
        after: Message | null;
    }[];
    /** How many changes there are beyond those in `changes`. */
    more?: number;
};
export type Reverted = {
    /** The full id of the commit that is undone, of several the newest. */
    revision: string;
    /** When `revisions` was given: the full ids of the commits that are undone, newest first. */
    revisions?: string[];
    /** The full id of the commit that undoes it, and can be undone itself; null when nothing was left to undo, or on a dry run. */
    undoneBy: string | null;
    /** Keys of which something went back; a plural is one key. */
    reverted: number;
    /** Translations that come to be stale or no longer are, when there are any. */
    stale?: {
        /** They are stale by it and were not: their confirmation was undone, or a text that followed the source. */
        added: number;
        /** They were stale and are no longer. */
        removed: number;
    };
    /** Keys that stay as they are, wholly or in part, and why: the first 1,000, fewer where they are long. */
    skipped: {
        /** A BCP 47 language tag, kept as written. */
        language: string;
        /** The name of the namespace. */
        "namespace": string;
        key: string;
        reason: string;
    }[];
    /** How many keys are skipped beyond those in `skipped`. */
    moreSkipped?: number;
    /** The project's own fields, when the commit changed them: now and then; `reason` says why any stay. */
    project?: {
        before: ProjectFields | null;
        after: ProjectFields | null;
        reason?: string;
    };
    dryRun: boolean;
    /** On a dry run and with `details=true`: the first 1,000 changes, fewer where their texts are long. */
    changes?: {
        /** A BCP 47 language tag, kept as written. */
        language: string;
        /** The name of the namespace. */
        "namespace": string;
        /** The key; a plural is named by its base. */
        key: string;
        /** Null where the key was absent. */
        before: Message | null;
        /** Null where it is gone. */
        after: Message | null;
    }[];
    /** How many changes there are beyond those in `changes`. */
    more?: number;
};
export type Release = {
    /** 1 to 64 of `A-Z a-z 0-9 . _ -`, beginning and ending with a letter or digit, and no revision id. */
    name: string;
    /** The full id of the commit: what `?at=` takes, and never changes. */
    revision: string;
    /** ISO 8601, in UTC. */
    createdAt: string;
    /** As in the tag; a token has no mailbox. */
    createdBy: Author;
};
export type NewRelease = {
    /** 1 to 64 of `A-Z a-z 0-9 . _ -`, beginning and ending with a letter or digit, and no revision id. */
    name: string;
};
export type Token = {
    /** The id of the token. */
    id: string;
    /** 1 to 100 characters after trimming. */
    name: string;
    scope: "read" | "add" | "write";
    /** The only projects that it reaches; absent when it reaches all. */
    projects?: string[];
    /** The first 8 characters of the key. */
    start: string;
    /** ISO 8601, in UTC. */
    createdAt: string;
    createdBy: {
        id: string;
        name: string;
    } | null;
    lastUsedAt: string | null;
    expiresAt: string | null;
};
export type NewToken = {
    /** 1 to 100 characters after trimming. */
    name: string;
    /** What the token may do; default `write`. `read` gets 403 on any write, `add` on any but saveMissing (POST to a namespace). */
    scope?: "read" | "add" | "write";
    /** Slugs of 1 to 100 projects that there are. All other projects are 404 to the token, and what is of the whole organization, such as a clone, is 403. Without it the token reaches every project. */
    projects?: string[];
    /** 1 to 3650 whole days; without it the token does not expire. */
    expiresInDays?: number;
};
export type MintedToken = {
    /** The id of the token. */
    id: string;
    /** 1 to 100 characters after trimming. */
    name: string;
    scope: "read" | "add" | "write";
    /** The only projects that it reaches; absent when it reaches all. */
    projects?: string[];
    /** The first 8 characters of the key. */
    start: string;
    /** ISO 8601, in UTC. */
    createdAt: string;
    createdBy: {
        id: string;
        name: string;
    } | null;
    expiresAt: string | null;
    /** The token itself, shown this once. */
    key: string;
};
export type AuditEntry = {
    id: string;
    /** In UTC. */
    time: string;
    what: "sign-up" | "sign-in" | "sign-in-failed" | "sign-out" | "password-changed" | "password-reset" | "second-factor-on" | "second-factor-off" | "second-factor-failed" | "backup-code-used" | "backup-codes-renewed" | "identity-linked" | "token-minted" | "token-revoked" | "invitation-made" | "invitation-withdrawn" | "invitation-accepted" | "invitation-declined" | "member-added" | "member-removed" | "member-left" | "role-changed" | "organization-made" | "organization-renamed" | "organization-deleted";
    /** `operator`: a command on the server's machine; `nobody`: whoever it was did not prove it. */
    by: "user" | "operator" | "nobody";
    /** The user, with the address of that time. */
    who: {
        id: string;
        email: string;
    } | null;
    about: {
        "type": "user" | "token" | "invitation" | "organization";
        /** Null for an invitation, whose id lets one in. */
        id: string | null;
        /** Of a user or an invitation the address; never a key. */
        name: string;
    } | null;
    /** What it was before: a role, a name, the scope of a token. */
    "from": string | null;
    /** What it became. */
    to: string | null;
    /** The client's IP address. */
    address: string | null;
};
export type Who = {
    organization: {
        /** Its id. */
        id: string;
        /** Its slug. */
        slug: string;
        /** Its name. */
        name: string;
    };
    /** Which credential it is. */
    kind: "token" | "session";
    /** Of the token, or of the user. */
    name: string;
    /** What a token may do; a session has `write`. */
    scope: "read" | "add" | "write";
    /** The user's, with a session. */
    role?: "owner" | "admin" | "member";
    /** The only projects that the token reaches; absent when it reaches all. */
    projects?: string[];
    /** Of the server. */
    version: string;
};
export type Health = {
    /** `degraded`: it serves, but files that someone edited outside break the rules, a repository is damaged, a task in the background fails, or backups have failed for long. */
    status: "ok" | "degraded";
    /** How many such files, repositories and tasks there are in all organizations. */
    problems: number;
    /** With a credential: those of your organization, as far as it reaches. */
    files?: {
        path: string;
        error: string;
    }[];
    /** With a credential: what fails at present of the server's work in the background, for your organization or for all. It is tried again by itself. */
    tasks?: {
        name: string;
        error: string;
    }[];
    /** For an owner by session: how the backup of your organization does. Absent on a node where another one makes it. */
    backup?: {
        /** `diverged`: the remote has something of its own, which is not overwritten. `off`: there is no remote. */
        state: "ok" | "pending" | "failing" | "diverged" | "off";
        /** When your organization was last pushed. */
        lastSuccess: string | null;
        /** Seconds since its oldest change that is not pushed; 0 when there is none. */
        lag: number;
        /** Why it fails, or why a restore from it would. */
        error?: string;
        /** When it was last fetched from the remote and looked at as a restore would; absent before the first time. */
        lastCheck?: string;
    };
    /** For an owner by session, where several servers are nodes of one: how they do. */
    cluster?: {
        /** Whether the database that the nodes share answers. */
        engine: "ok" | "away";
        /** Whether this node knows all that was acknowledged; its reads are marked as stale else. */
        fresh: boolean;
        /** Seconds since its lease, which lasts for two, was last renewed; null before the first time. */
        leaseAge: number | null;
        /** Writes of other nodes that are not in this one's git yet. */
        lag: number;
        /** The nodes that serve. */
        nodes: {
            url: string;
            /** Whether it is the one that answers. */
            own: boolean;
            /** Seconds since it said that it lives. */
            seen: number;
        }[];
    };
};
export type SignInProvider = {
    /** What `POST /api/auth/sign-in/social` takes as `provider`. */
    id: "oidc";
    /** What people know it by. */
    name: string;
};
export type SignIn = {
    /** Who may make an account: everybody, whoever has an invitation, or nobody but the operator (`SIGN_UP`). */
    signUp: "open" | "invite" | "closed";
    /** Nobody has an account yet: unless it is `closed`, the first to sign up needs no invitation. */
    firstUser: boolean;
    /** The OpenID provider that one may sign in by, null without one. */
    provider: SignInProvider | null;
};
export type User = {
    /** The id of the user. */
    id: string;
    /** What others see. */
    name: string;
    /** An e-mail address. */
    email: string;
    emailVerified: boolean;
    /** The address of a picture. */
    image: string | null;
    /** ISO 8601, in UTC. */
    createdAt: string;
    /** ISO 8601, in UTC. */
    updatedAt: string;
    /** Whether signing in takes a code too. */
    twoFactorEnabled: boolean;
};
export type AuthError = {
    /** One sentence that says what is wrong. */
    error: string;
    /** better-auth's name for it; absent where it did not see the request. */
    code?: string;
    /** The same sentence as `error`, likewise. */
    message?: string;
};
export type Session = {
    /** The id of the session. */
    id: string;
    /** What `revoke-session` takes. */
    token: string;
    /** The id of the user. */
    userId: string;
    /** ISO 8601, in UTC. */
    createdAt: string;
    /** ISO 8601, in UTC. */
    updatedAt: string;
    /** ISO 8601, in UTC. */
    expiresAt: string;
    ipAddress: string | null;
    userAgent: string | null;
    activeOrganizationId: string | null;
};
export type Account = {
    /** The id of the account. */
    id: string;
    /** The id of the user at the provider. */
    accountId: string;
    /** `credential` is the password. */
    providerId: string;
    /** The id of the user. */
    userId: string;
    scopes: string[];
    /** ISO 8601, in UTC. */
    createdAt: string;
    /** ISO 8601, in UTC. */
    updatedAt: string;
};
export type Member = {
    /** The id of the membership. */
    id: string;
    /** The id of the organization. */
    organizationId: string;
    /** The id of the user. */
    userId: string;
    /** `owner`, `admin` or `member`, or several of them with commas between. */
    role: string;
    /** ISO 8601, in UTC. */
    createdAt: string;
};
export type Organization = {
    /** The id of the organization. */
    id: string;
    /** What people see. */
    name: string;
    /** Unique on the server. */
    slug: string;
    logo?: string | null;
    /** ISO 8601, in UTC. */
    createdAt: string;
    /** Whatever was stored with it. */
    metadata?: any;
};
export type MemberWithUser = {
    /** The id of the membership. */
    id: string;
    /** The id of the organization. */
    organizationId: string;
    /** The id of the user. */
    userId: string;
    /** `owner`, `admin` or `member`, or several of them with commas between. */
    role: string;
    /** ISO 8601, in UTC. */
    createdAt: string;
    user: {
        /** The id of the user. */
        id: string;
        /** What others see. */
        name: string;
        /** An e-mail address. */
        email: string;
        /** The address of a picture. */
        image: string | null;
    };
};
export type Invitation = {
    /** The id of the invitation; it lets one in. */
    id: string;
    /** The id of the organization. */
    organizationId: string;
    /** An e-mail address. */
    email: string;
    /** `owner`, `admin` or `member`, or several of them with commas between. */
    role: string;
    status: "pending" | "accepted" | "rejected" | "canceled";
    /** ISO 8601, in UTC. */
    expiresAt: string;
    /** ISO 8601, in UTC. */
    createdAt: string;
    /** The id of the user who invited. */
    inviterId: string;
};
/**
 * List the projects of the organization
 */
export function listProjects({ at, ifNoneMatch }: {
    at?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            projects: Project[];
        };
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects${QS.query(QS.explode({
        at
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Create a project
 */
export function createProject({ newProject }: {
    newProject: NewProject;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Project;
    } | {
        status: 500;
        data: Error;
    }>("/api/projects", oazapfts.json({
        ...opts,
        method: "POST",
        body: newProject
    }));
}
/**
 * The manifest of a project
 */
export function getManifest({ slug, at, ifNoneMatch }: {
    slug: string;
    at?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Manifest;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}${QS.query(QS.explode({
        at
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Change the name, format or interpolation of a project
 */
export function changeProject({ slug, ifMatch, ifNoneMatch, projectChange }: {
    slug: string;
    ifMatch?: string;
    ifNoneMatch?: string;
    projectChange: ProjectChange;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Project;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: projectChange,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    }));
}
/**
 * Delete a project with all its bundles
 */
export function deleteProject({ slug, ifMatch, ifNoneMatch }: {
    slug: string;
    ifMatch?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * One namespace as an i18next resource
 */
export function getBundle({ slug, language, $namespace, at, empty, multi, ifNoneMatch }: {
    slug: string;
    language: string;
    $namespace: string;
    at?: string;
    empty?: "omit";
    multi?: "true" | "false";
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Resource;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}/${encodeURIComponent($namespace)}${QS.query(QS.explode({
        at,
        empty,
        multi
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Register missing keys (saveMissing)
 */
export function registerMissing({ slug, language, $namespace, ifMatch, ifNoneMatch, resource }: {
    slug: string;
    language: string;
    $namespace: string;
    ifMatch?: string;
    ifNoneMatch?: string;
    resource: Resource;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Filled;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}/${encodeURIComponent($namespace)}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: resource,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    }));
}
/**
 * Push a whole namespace
 */
export function pushBundle({ slug, language, $namespace, dryRun, details, prune, overwrite, keepStale, ifMatch, ifNoneMatch, resource }: {
    slug: string;
    language: string;
    $namespace: string;
    dryRun?: "true" | "false";
    details?: "true" | "false";
    prune?: "true" | "false";
    overwrite?: "true" | "false";
    keepStale?: "true" | "false";
    ifMatch?: string;
    ifNoneMatch?: string;
    resource: Resource;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Pushed;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}/${encodeURIComponent($namespace)}${QS.query(QS.explode({
        dryRun,
        details,
        prune,
        overwrite,
        keepStale
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: resource,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    }));
}
/**
 * Delete a bundle
 */
export function deleteBundle({ slug, language, $namespace, ifMatch, ifNoneMatch }: {
    slug: string;
    language: string;
    $namespace: string;
    ifMatch?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}/${encodeURIComponent($namespace)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * A whole language as the stored model
 */
export function getLanguage({ slug, language, at, $namespace, ifNoneMatch }: {
    slug: string;
    language: string;
    at?: string;
    $namespace?: string | string[];
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Language;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}${QS.query(QS.explode({
        at,
        "namespace": $namespace
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Delete a language
 */
export function deleteLanguage({ slug, language, ifMatch, ifNoneMatch }: {
    slug: string;
    language: string;
    ifMatch?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * All bundles of a project: a zip, or one JSON object
 */
export function exportProject({ slug, at, language, $namespace, format, since, empty, ifNoneMatch }: {
    slug: string;
    at?: string;
    language?: string | string[];
    $namespace?: string | string[];
    format?: "zip" | "json";
    since?: string;
    empty?: "omit";
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/export${QS.query(QS.explode({
        at,
        language,
        "namespace": $namespace,
        format,
        since,
        empty
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * One key with its whole message
 */
export function getKey({ slug, language, $namespace, key, at, ifNoneMatch }: {
    slug: string;
    language: string;
    $namespace: string;
    key: string;
    at?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Key;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}/${encodeURIComponent($namespace)}/${encodeURIComponent(key)}${QS.query(QS.explode({
        at
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Overwrite one value or one plural form
 */
export function putKey({ slug, language, $namespace, key, keepStale, ifMatch, ifNoneMatch, newValue }: {
    slug: string;
    language: string;
    $namespace: string;
    key: string;
    keepStale?: "true" | "false";
    ifMatch?: string;
    ifNoneMatch?: string;
    newValue: NewValue;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Key;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}/${encodeURIComponent($namespace)}/${encodeURIComponent(key)}${QS.query(QS.explode({
        keepStale
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: newValue,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    }));
}
/**
 * Delete a key or one plural form
 */
export function deleteKey({ slug, language, $namespace, key, ifMatch, ifNoneMatch }: {
    slug: string;
    language: string;
    $namespace: string;
    key: string;
    ifMatch?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Remaining;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/bundles/${encodeURIComponent(language)}/${encodeURIComponent($namespace)}/${encodeURIComponent(key)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * TypeScript declarations of the keys, for i18next's t()
 */
export function getTypes({ slug, at, $namespace, defaultNs, ifNoneMatch }: {
    slug: string;
    at?: string;
    $namespace?: string | string[];
    defaultNs?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/types.d.ts${QS.query(QS.explode({
        at,
        "namespace": $namespace,
        defaultNS: defaultNs
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Push many namespaces in one commit
 */
export function pushBundles({ slug, dryRun, details, prune, overwrite, keepStale, manyPush }: {
    slug: string;
    dryRun?: "true" | "false";
    details?: "true" | "false";
    prune?: "true" | "false";
    overwrite?: "true" | "false";
    keepStale?: "true" | "false";
    manyPush: ManyPush;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ManyPushed;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/push${QS.query(QS.explode({
        dryRun,
        details,
        prune,
        overwrite,
        keepStale
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: manyPush
    }));
}
/**
 * Rename a key in all languages
 */
export function renameKey({ slug, ifMatch, ifNoneMatch, body }: {
    slug: string;
    ifMatch?: string;
    ifNoneMatch?: string;
    body: {
        /** The name of the namespace. */
        "namespace": string;
        /** The key; a plural is named by its base and moves with all its forms. */
        "from": string;
        /** The new name, which no language may have yet. */
        to: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Renamed;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/rename-key`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    }));
}
/**
 * Delete a key in all languages
 */
export function deleteKeyEverywhere({ slug, ifMatch, ifNoneMatch, body }: {
    slug: string;
    ifMatch?: string;
    ifNoneMatch?: string;
    body: {
        /** The name of the namespace. */
        "namespace": string;
        /** The key, which goes with all its forms; or the name of one form. */
        key: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/delete-key`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    }));
}
/**
 * Which commits changed a project, a language, a bundle or a key
 */
export function getHistory({ slug, language, $namespace, key, author, at, cursor, limit, ifNoneMatch }: {
    slug: string;
    language?: string;
    $namespace?: string;
    key?: string;
    author?: string;
    at?: string;
    cursor?: string;
    limit?: number;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            revisions: Revision[];
            /** The `cursor` of the next page; null at the end. */
            next: string | null;
        };
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/history${QS.query(QS.explode({
        language,
        "namespace": $namespace,
        key,
        author,
        at,
        cursor,
        limit
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * What two states of a project differ in, key by key
 */
export function getDiff({ slug, $from, to, language, $namespace, cursor, limit, ifNoneMatch }: {
    slug: string;
    $from: string;
    to?: string;
    language?: string;
    $namespace?: string;
    cursor?: string;
    limit?: number;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Diff;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/diff${QS.query(QS.explode({
        "from": $from,
        to,
        language,
        "namespace": $namespace,
        cursor,
        limit
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Say of translations that they still stand
 */
export function confirmKeys({ slug, body }: {
    slug: string;
    body: {
        /** A BCP 47 language tag, kept as written. */
        language: string;
        /** The name of the namespace. */
        "namespace": string;
        /** The keys; a plural is named by its base. */
        keys: string[];
        /** By `<language>/<namespace>`, of any bundle of the project, the entity tag that it must still have, or `*` for one that must exist. One that does not exist has the tag of the empty bundle. */
        expected?: {
            [key: string]: string;
        };
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Confirmed;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/confirm`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * How far the translations of a project are
 */
export function getStatus({ slug, language, $namespace, at, ifNoneMatch }: {
    slug: string;
    language?: string;
    $namespace?: string;
    at?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Status;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/status${QS.query(QS.explode({
        language,
        "namespace": $namespace,
        at
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * The keys of a language that are missing, stale or otherwise told of
 */
export function getStatusKeys({ slug, language, $namespace, $is, at, cursor, limit, ifNoneMatch }: {
    slug: string;
    language: string;
    $namespace?: string;
    $is?: string;
    at?: string;
    cursor?: string;
    limit?: number;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            keys: KeyStatus[];
            /** The `cursor` of the next page; null at the end. */
            next: string | null;
        };
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/status/keys${QS.query(QS.explode({
        language,
        "namespace": $namespace,
        "is": $is,
        at,
        cursor,
        limit
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Restore a project, or a part of it, to a revision
 */
export function restoreProject({ slug, dryRun, details, ifMatch, ifNoneMatch, body }: {
    slug: string;
    dryRun?: "true" | "false";
    details?: "true" | "false";
    ifMatch?: string;
    ifNoneMatch?: string;
    body: {
        /** A revision (full or abbreviated), the name of a release or tag, or an ISO 8601 time. */
        at: string;
        /** Only this language. */
        language?: string;
        /** Only this namespace; in all languages when none is named. */
        "namespace"?: string;
        /** Only this key, or one form of it (`item_one`); takes a namespace. */
        key?: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Restored;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/restore${QS.query(QS.explode({
        dryRun,
        details
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    }));
}
/**
 * Undo what a commit did to a project, or several
 */
export function revertRevision({ slug, dryRun, details, ifMatch, ifNoneMatch, body }: {
    slug: string;
    dryRun?: "true" | "false";
    details?: "true" | "false";
    ifMatch?: string;
    ifNoneMatch?: string;
    body: {
        /** The commit to undo, one of the main line: its id (full or abbreviated), or whatever else names it. */
        revision?: string;
        /** In place of `revision`: commits to undo together, in any order. It takes git on the server when there are several. */
        revisions?: string[];
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Reverted;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/revert${QS.query(QS.explode({
        dryRun,
        details
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "if-none-match": ifNoneMatch
        })
    }));
}
/**
 * List the releases of a project
 */
export function listReleases({ slug, ifNoneMatch }: {
    slug: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            releases: Release[];
        };
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/releases`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Release a project as it is now
 */
export function createRelease({ slug, newRelease }: {
    slug: string;
    newRelease: NewRelease;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Release;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/releases`, oazapfts.json({
        ...opts,
        method: "POST",
        body: newRelease
    }));
}
/**
 * One release
 */
export function getRelease({ slug, name, ifNoneMatch }: {
    slug: string;
    name: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Release;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/releases/${encodeURIComponent(name)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * Delete a release
 */
export function deleteRelease({ slug, name }: {
    slug: string;
    name: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/releases/${encodeURIComponent(name)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Every commit of the organization, as it comes
 */
export function streamEvents({ since, lastEventId }: {
    since?: string;
    lastEventId?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>(`/api/events${QS.query(QS.explode({
        since
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "last-event-id": lastEventId
        })
    });
}
/**
 * Every commit of a project, as it comes
 */
export function streamProjectEvents({ slug, since, lastEventId }: {
    slug: string;
    since?: string;
    lastEventId?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>(`/api/projects/${encodeURIComponent(slug)}/events${QS.query(QS.explode({
        since
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "last-event-id": lastEventId
        })
    });
}
/**
 * List the API tokens of the organization
 */
export function listTokens(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            tokens: Token[];
        };
    } | {
        status: 500;
        data: Error;
    }>("/api/tokens", {
        ...opts
    });
}
/**
 * Mint an API token
 */
export function mintToken({ newToken }: {
    newToken: NewToken;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: MintedToken;
    } | {
        status: 500;
        data: Error;
    }>("/api/tokens", oazapfts.json({
        ...opts,
        method: "POST",
        body: newToken
    }));
}
/**
 * Revoke an API token
 */
export function revokeToken({ id }: {
    id: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 500;
        data: Error;
    }>(`/api/tokens/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Who signed in, and who did what to members, invitations and tokens
 */
export function getAudit({ what, user, at, cursor, limit }: {
    what?: "sign-up" | "sign-in" | "sign-in-failed" | "sign-out" | "password-changed" | "password-reset" | "second-factor-on" | "second-factor-off" | "second-factor-failed" | "backup-code-used" | "backup-codes-renewed" | "identity-linked" | "token-minted" | "token-revoked" | "invitation-made" | "invitation-withdrawn" | "invitation-accepted" | "invitation-declined" | "member-added" | "member-removed" | "member-left" | "role-changed" | "organization-made" | "organization-renamed" | "organization-deleted";
    user?: string;
    at?: string;
    cursor?: string;
    limit?: number;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            entries: AuditEntry[];
            /** The `cursor` of the next page; null at the end. */
            next: string | null;
        };
    } | {
        status: 500;
        data: Error;
    }>(`/api/audit${QS.query(QS.explode({
        what,
        user,
        at,
        cursor,
        limit
    }))}`, {
        ...opts
    });
}
/**
 * Whose credential this is, and what it may do
 */
export function whoami(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Who;
    } | {
        status: 500;
        data: Error;
    }>("/api/whoami", {
        ...opts
    });
}
/**
 * Whether the server is well
 */
export function getHealth(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Health;
    } | {
        status: 500;
        data: Error;
    }>("/api/health", {
        ...opts
    });
}
/**
 * Whether the server runs
 */
export function getLive(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: "ok";
        };
    } | {
        status: 500;
        data: Error;
    }>("/api/health/live", {
        ...opts
    });
}
/**
 * The command of developers, as one file for Node 24: `curl -o parlance.mjs …/cli`
 */
export function getCommand({ ifNoneMatch }: {
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>("/cli", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * The JSON Schema of parlance.config.json, for its `$schema`
 */
export function getConfigSchema({ ifNoneMatch }: {
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>("/cli/parlance.config.schema.json", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-none-match": ifNoneMatch
        })
    });
}
/**
 * How one may sign in and sign up here
 */
export function getSignIn(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SignIn;
    } | {
        status: 500;
        data: Error;
    }>("/api/sign-in", {
        ...opts
    });
}
/**
 * Begin a clone or fetch: what git asks first
 */
export function beginClone({ service }: {
    service: "git-upload-pack";
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>(`/api/translations.git/info/refs${QS.query(QS.explode({
        service
    }))}`, {
        ...opts
    });
}
/**
 * Clone or fetch: what git asks next
 */
export function clone({ body }: {
    body: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>("/api/translations.git/git-upload-pack", {
        ...opts,
        method: "POST",
        body
    });
}
/**
 * What Prometheus reads
 */
export function getMetrics(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 500;
        data: Error;
    }>("/metrics", {
        ...opts
    });
}
/**
 * Make an account, and sign in to it
 */
export function signUp({ invitation, body }: {
    invitation?: string;
    body: {
        /** What others see. */
        name: string;
        /** An e-mail address. */
        email: string;
        /** 8 to 128 characters. */
        password: string;
        /** The address of a picture. */
        image?: string | null;
        callbackURL?: string;
        rememberMe?: boolean;
        /** The id of the invitation. */
        invitation?: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            token: string | null;
            user: User;
        };
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/sign-up/email${QS.query(QS.explode({
        invitation
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Sign in with a password
 */
export function signIn({ body }: {
    body: {
        /** An e-mail address. */
        email: string;
        /** 8 to 128 characters. */
        password: string;
        callbackURL?: string;
        rememberMe?: boolean;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** Of the session. */
            token: string;
            user: User;
            redirect: boolean;
            url?: string;
        } | {
            twoFactorRedirect: true;
            twoFactorMethods: string[];
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/sign-in/email", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Begin to sign in by the OpenID provider
 */
export function signInByProvider({ body }: {
    body: {
        provider: "oidc";
        /** Where to go afterwards, on this server. */
        callbackURL?: string;
        /** Where to go afterwards, on this server. */
        errorCallbackURL?: string;
        [key: string]: any;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** Where to send the browser. */
            url: string;
            redirect: boolean;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/sign-in/social", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Begin to sign in to the same account by the OpenID provider too
 */
export function linkProvider({ body }: {
    body: {
        provider: "oidc";
        /** Where to go afterwards, on this server. */
        callbackURL?: string;
        /** Where to go afterwards, on this server. */
        errorCallbackURL?: string;
        [key: string]: any;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** Where to send the browser. */
            url: string;
            redirect: boolean;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/link-social", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Where the OpenID provider sends the browser back
 */
export function finishByProvider({ code, state, error }: {
    code?: string;
    state?: string;
    error?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            twoFactorRedirect: true;
            twoFactorMethods: string[];
        };
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/callback/oidc${QS.query(QS.explode({
        code,
        state,
        error
    }))}`, {
        ...opts
    });
}
/**
 * End this session
 */
export function signOut(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            success: boolean;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/sign-out", {
        ...opts,
        method: "POST"
    });
}
/**
 * Who is signed in
 */
export function getSession({ disableCookieCache, disableRefresh }: {
    disableCookieCache?: "true" | "false";
    disableRefresh?: "true" | "false";
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            session: Session;
            user: User;
        } | null;
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/get-session${QS.query(QS.explode({
        disableCookieCache,
        disableRefresh
    }))}`, {
        ...opts
    });
}
/**
 * All sessions of the user
 */
export function listSessions(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Session[];
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/list-sessions", {
        ...opts
    });
}
/**
 * End one session of the user
 */
export function revokeSession({ body }: {
    body: {
        /** What `revoke-session` takes. */
        token: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: true;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/revoke-session", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * End all sessions of the user
 */
export function revokeSessions(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: true;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/revoke-sessions", {
        ...opts,
        method: "POST"
    });
}
/**
 * End all sessions of the user but this one
 */
export function revokeOtherSessions(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: true;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/revoke-other-sessions", {
        ...opts,
        method: "POST"
    });
}
/**
 * How the user can sign in
 */
export function listAccounts(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Account[];
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/list-accounts", {
        ...opts
    });
}
/**
 * Change the name or the picture
 */
export function updateUser({ body }: {
    body: {
        /** What others see. */
        name?: string;
        /** The address of a picture. */
        image?: string | null;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: true;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/update-user", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Change the password
 */
export function changePassword({ body }: {
    body: {
        /** 8 to 128 characters. */
        newPassword: string;
        /** 8 to 128 characters. */
        currentPassword: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            token: string | null;
            user: User;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/change-password", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Say the password again
 */
export function verifyPassword({ body }: {
    body: {
        /** 8 to 128 characters. */
        password: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: true;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/verify-password", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Begin to set up a second factor
 */
export function enableTwoFactor({ body }: {
    body: {
        /** 8 to 128 characters. */
        password: string;
        method?: "totp";
        issuer?: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            method: "totp";
            /** For the app, as a QR code. */
            totpURI: string;
            backupCodes: string[];
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/two-factor/enable", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Turn the second factor off
 */
export function disableTwoFactor({ body }: {
    body: {
        /** 8 to 128 characters. */
        password: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: true;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/two-factor/disable", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * What the app takes, again
 */
export function getTotpUri({ body }: {
    body: {
        /** 8 to 128 characters. */
        password: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** For the app, as a QR code. */
            totpURI: string;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/two-factor/get-totp-uri", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * New backup codes; the old ones end
 */
export function generateBackupCodes({ body }: {
    body: {
        /** 8 to 128 characters. */
        password: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: true;
            backupCodes: string[];
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/two-factor/generate-backup-codes", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Finish a sign-in, or the setting up, with the app's code
 */
export function verifyTotp({ body }: {
    body: {
        /** The six digits that the app shows now. */
        code: string;
        trustDevice?: boolean;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** Of the session. */
            token: string;
            user: User;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/two-factor/verify-totp", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Finish a sign-in with a backup code
 */
export function verifyBackupCode({ body }: {
    body: {
        /** A backup code. */
        code: string;
        trustDevice?: boolean;
        disableSession?: boolean;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** Of the session. */
            token: string;
            user: User;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/two-factor/verify-backup-code", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Whether accounts can be asked
 */
export function ok(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            ok: true;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/ok", {
        ...opts
    });
}
/**
 * Make an organization, and become its owner
 */
export function createOrganization({ body }: {
    body: {
        /** What people see. */
        name: string;
        /** Unique on the server. */
        slug: string;
        logo?: string | null;
        metadata?: {
            [key: string]: any;
        };
        keepCurrentActiveOrganization?: boolean;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The id of the organization. */
            id: string;
            /** What people see. */
            name: string;
            /** Unique on the server. */
            slug: string;
            logo?: string | null;
            /** ISO 8601, in UTC. */
            createdAt: string;
            /** Whatever was stored with it. */
            metadata?: any;
            members: Member[];
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/create", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Change an organization
 */
export function updateOrganization({ body }: {
    body: {
        data: {
            /** What people see. */
            name?: string;
            /** Unique on the server. */
            slug?: string;
            logo?: string | null;
            metadata?: {
                [key: string]: any;
            };
        };
        /** The id of the organization; the active one by default. */
        organizationId?: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Organization | null;
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/update", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Delete an organization
 */
export function deleteOrganization({ body }: {
    body: {
        /** The id of the organization. */
        organizationId: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Organization;
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/delete", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Whether a slug is free
 */
export function checkSlug({ body }: {
    body: {
        /** Unique on the server. */
        slug: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            status: true;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/check-slug", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Choose the organization that the session's requests are about
 */
export function setActiveOrganization({ body }: {
    body: {
        /** The id of the organization. */
        organizationId?: string | null;
        /** In place of its id. */
        organizationSlug?: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Organization | null;
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/set-active", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * The organizations of the user
 */
export function listOrganizations(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Organization[];
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/list", {
        ...opts
    });
}
/**
 * One organization
 */
export function getOrganization({ organizationId, organizationSlug }: {
    organizationId?: string;
    organizationSlug?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Organization | null;
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/organization/get-organization${QS.query(QS.explode({
        organizationId,
        organizationSlug
    }))}`, {
        ...opts
    });
}
/**
 * One organization with its members and invitations
 */
export function getFullOrganization({ organizationId, organizationSlug, membersLimit }: {
    organizationId?: string;
    organizationSlug?: string;
    membersLimit?: number;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The id of the organization. */
            id: string;
            /** What people see. */
            name: string;
            /** Unique on the server. */
            slug: string;
            logo?: string | null;
            /** ISO 8601, in UTC. */
            createdAt: string;
            /** Whatever was stored with it. */
            metadata?: any;
            members: MemberWithUser[];
            invitations: Invitation[];
        } | null;
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/organization/get-full-organization${QS.query(QS.explode({
        organizationId,
        organizationSlug,
        membersLimit
    }))}`, {
        ...opts
    });
}
/**
 * Invite somebody
 */
export function inviteMember({ body }: {
    body: {
        /** An e-mail address. */
        email: string;
        role: "owner" | "admin" | "member";
        /** The id of the organization; the active one by default. */
        organizationId?: string;
        resend?: boolean;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The id of the invitation; it lets one in. */
            id: string;
            /** The id of the organization. */
            organizationId: string;
            /** An e-mail address. */
            email: string;
            /** `owner`, `admin` or `member`, or several of them with commas between. */
            role: string;
            status: "pending" | "accepted" | "rejected" | "canceled";
            /** ISO 8601, in UTC. */
            expiresAt: string;
            /** ISO 8601, in UTC. */
            createdAt: string;
            /** The id of the user who invited. */
            inviterId: string;
            /** Where the invited make their account, by a POST of name, email and password: a path of this server, or a whole address where `BASE_URL` is set. */
            url: string;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/invite-member", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Withdraw an invitation
 */
export function cancelInvitation({ body }: {
    body: {
        /** The id of the invitation. */
        invitationId: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Invitation | null;
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/cancel-invitation", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Accept an invitation
 */
export function acceptInvitation({ body }: {
    body: {
        /** The id of the invitation. */
        invitationId: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            invitation: Invitation;
            member: Member;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/accept-invitation", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Turn an invitation down
 */
export function rejectInvitation({ body }: {
    body: {
        /** The id of the invitation. */
        invitationId: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            invitation: Invitation | null;
            member: null;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/reject-invitation", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * One invitation of the user
 */
export function getInvitation({ id }: {
    id: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The id of the invitation; it lets one in. */
            id: string;
            /** The id of the organization. */
            organizationId: string;
            /** An e-mail address. */
            email: string;
            /** `owner`, `admin` or `member`, or several of them with commas between. */
            role: string;
            status: "pending" | "accepted" | "rejected" | "canceled";
            /** ISO 8601, in UTC. */
            expiresAt: string;
            /** ISO 8601, in UTC. */
            createdAt: string;
            /** The id of the user who invited. */
            inviterId: string;
            /** Of the organization. */
            organizationName: string;
            /** Likewise. */
            organizationSlug: string;
            /** An e-mail address. */
            inviterEmail: string;
        };
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/organization/get-invitation${QS.query(QS.explode({
        id
    }))}`, {
        ...opts
    });
}
/**
 * The invitations of an organization
 */
export function listInvitations({ organizationId }: {
    organizationId?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Invitation[];
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/organization/list-invitations${QS.query(QS.explode({
        organizationId
    }))}`, {
        ...opts
    });
}
/**
 * The invitations that wait for the user
 */
export function listUserInvitations(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The id of the invitation; it lets one in. */
            id: string;
            /** The id of the organization. */
            organizationId: string;
            /** An e-mail address. */
            email: string;
            /** `owner`, `admin` or `member`, or several of them with commas between. */
            role: string;
            status: "pending" | "accepted" | "rejected" | "canceled";
            /** ISO 8601, in UTC. */
            expiresAt: string;
            /** ISO 8601, in UTC. */
            createdAt: string;
            /** The id of the user who invited. */
            inviterId: string;
            /** Of the organization. */
            organizationName?: string;
        }[];
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/list-user-invitations", {
        ...opts
    });
}
/**
 * The members of an organization
 */
export function listMembers({ organizationId, organizationSlug, limit, offset, sortBy, sortDirection, filterField, filterOperator, filterValue }: {
    organizationId?: string;
    organizationSlug?: string;
    limit?: number;
    offset?: number;
    sortBy?: "createdAt" | "id" | "role" | "userId";
    sortDirection?: "asc" | "desc";
    filterField?: "id" | "role" | "userId";
    filterOperator?: "eq" | "ne" | "contains" | "starts_with" | "ends_with";
    filterValue?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            members: MemberWithUser[];
            total: number;
        };
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/organization/list-members${QS.query(QS.explode({
        organizationId,
        organizationSlug,
        limit,
        offset,
        sortBy,
        sortDirection,
        filterField,
        filterOperator,
        filterValue
    }))}`, {
        ...opts
    });
}
/**
 * The user's own membership of the active organization
 */
export function getActiveMember(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MemberWithUser;
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/get-active-member", {
        ...opts
    });
}
/**
 * A member's role
 */
export function getActiveMemberRole({ userId, organizationId, organizationSlug }: {
    userId?: string;
    organizationId?: string;
    organizationSlug?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            role: string;
        };
    } | {
        status: 500;
        data: AuthError;
    }>(`/api/auth/organization/get-active-member-role${QS.query(QS.explode({
        userId,
        organizationId,
        organizationSlug
    }))}`, {
        ...opts
    });
}
/**
 * Remove a member
 */
export function removeMember({ body }: {
    body: {
        /** An e-mail address. */
        memberIdOrEmail: string;
        /** The id of the organization; the active one by default. */
        organizationId?: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            member: MemberWithUser | Member;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/remove-member", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Change a member's role
 */
export function updateMemberRole({ body }: {
    body: {
        /** The id of the membership. */
        memberId: string;
        role: "owner" | "admin" | "member";
        /** The id of the organization; the active one by default. */
        organizationId?: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MemberWithUser | Member;
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/update-member-role", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Leave an organization
 */
export function leaveOrganization({ body }: {
    body: {
        /** The id of the organization. */
        organizationId: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MemberWithUser | Member;
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/leave", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Whether the user's role allows something in better-auth's terms
 */
export function hasPermission({ body }: {
    body: {
        /** Rights in better-auth's terms. */
        permissions: {
            [key: string]: string[];
        };
        /** The id of the organization; the active one by default. */
        organizationId?: string;
    };
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            error: null;
            success: boolean;
        };
    } | {
        status: 500;
        data: AuthError;
    }>("/api/auth/organization/has-permission", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
