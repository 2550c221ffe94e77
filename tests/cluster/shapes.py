"""How each operator writes a status: the conditions, trackers and histories of
the five families, as functions that return them."""

import time

HOUR = 3600


def now():
    return ago(0)


def ago(seconds):
    """RFC 3339, UTC, as the API server writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


def condition(type, status, reason, message="", since=0, **more):
    """A metav1-shaped condition that changed `since` seconds ago."""
    made = {"type": type, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": ago(since), **more}
    if not message:
        del made["message"]
    return made


# -- OpenStack resource controller --------------------------------------------

def _orc(available, progressing, generation=1):
    return {"conditions": [
        condition("Available", *available, observedGeneration=generation),
        condition("Progressing", *progressing, observedGeneration=generation)]}


def _orc_available(since):
    return "True", "Success", "OpenStack resource is available", since


def orc_ready(id, since=3 * HOUR, **resource):
    done = "False", "Success", "OpenStack resource is up to date", since
    return {"id": id, "resource": resource, **_orc(_orc_available(since), done)}


def orc_waiting(*lines, available=False, generation=1):
    """Not done; available: it was usable before and still is."""
    why = "Progressing", "\n".join(lines)
    return _orc(_orc_available(3 * HOUR) if available else ("False", *why), ("True", *why),
                generation)


def orc_terminal(reason, message):
    return _orc(("False", reason, message), ("False", reason, message))


# -- OCI service operator -----------------------------------------------------

def osok_status(type, message, before=None, tracker=None, **facts):
    """The inner status after a change to condition `type`.

    before: the inner status so far.  Its conditions are a history to which an
    entry is added only if the first one of that type said something else.
    Failed is written with status False.
    """
    conditions = list((before or {}).get("conditions", ()))
    status = "False" if type == "Failed" else "True"
    first = next((c for c in conditions if c["type"] == type), None)
    if not first or (first["status"], first["message"]) != (status, message):
        conditions.append({"type": type, "status": status, "message": message,
                           "lastTransitionTime": now()})
    return {"conditions": conditions, "async": {"current": tracker}, "reason": type,
            "message": message, "updatedAt": now(), **facts}


def osok_tracker(phase, percent=None, work_request=None, operation=None, raw="IN_PROGRESS",
                 state="pending", message=None):
    """An asynchronous operation: a work request, or without one a lifecycle state."""
    tracker = {"source": "workrequest" if work_request else "lifecycle", "phase": phase,
               "workRequestId": work_request, "rawStatus": raw, "rawOperationType": operation,
               "normalizedClass": state, "percentComplete": percent, "message": message,
               "updatedAt": now()}
    return {key: value for key, value in tracker.items() if value is not None}


def ocid(kind, number):
    """A made-up OCID."""
    return f"ocid1.{kind}.oc1.eu-frankfurt-1.{'a' * 40}{number:08d}"


# -- Azure service operator ---------------------------------------------------

def aso_ready(since=3 * HOUR):
    return {"conditions": [condition("Ready", "True", "Succeeded", since=since,
                                     observedGeneration=1)]}


def aso_not_ready(severity, reason, message):
    return {"conditions": [condition("Ready", "False", reason, message, severity=severity,
                                     observedGeneration=1)]}


# -- Operator Lifecycle Manager -----------------------------------------------

def csv_status(*history):
    """history: (phase, reason, message, seconds ago), oldest first."""
    entries = [{"phase": phase, "reason": reason, "message": message,
                "lastTransitionTime": ago(since), "lastUpdateTime": ago(since)}
               for phase, reason, message, since in history]
    return {**entries[-1], "conditions": entries}


def csv_succeeded():
    return csv_status(
        ("Pending", "RequirementsUnknown", "requirements not yet checked", 3 * HOUR + 40),
        ("InstallReady", "AllRequirementsMet",
         "all requirements found, attempting install", 3 * HOUR + 30),
        ("Installing", "InstallSucceeded",
         "waiting for install components to report healthy", 3 * HOUR + 25),
        ("Succeeded", "InstallSucceeded",
         "install strategy completed with no errors", 3 * HOUR))


# -- Crossplane ---------------------------------------------------------------

def crossplane_ready(since=3 * HOUR):
    """Synced and Ready, as composites and managed resources have them."""
    return [condition("Synced", "True", "ReconcileSuccess", since=since + 60),
            condition("Ready", "True", "Available", since=since)]
