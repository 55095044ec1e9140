"""The manifests that pengcde submit --kubernetes writes conform to the published schema of batch/v1 Job."""

import copy
import json
import pathlib
import unittest

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "internal/kubernetes/testdata"
JOB = "#/components/schemas/io.k8s.api.batch.v1.Job"


def strict(part):
    """Refuses unknown fields, as kubectl does; the published schema leaves that to the server."""
    if isinstance(part, dict):
        part = {key: strict(value) for key, value in part.items()}
        if isinstance(part.get("properties"), dict) and part.get("type") == "object":
            part["additionalProperties"] = False
    return part


def validator():
    schema = strict(json.loads((FOLDER / "job-schema.json").read_text()))
    return jsonschema.Draft4Validator({"$ref": JOB, "components": schema["components"]})


class Manifests(unittest.TestCase):
    def setUp(self):
        self.validator = validator()
        self.jobs = {file.name: json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.job.json"))}

    def test_conform(self):
        self.assertEqual({"cpu.job.json", "gpu.job.json"}, set(self.jobs))
        for name, job in self.jobs.items():
            self.assertEqual([], [f"{name}: {e.json_path}: {e.message}" for e in self.validator.iter_errors(job)])

    def test_mistakes_are_found(self):
        def container(job):
            return job["spec"]["template"]["spec"]["containers"][0]

        for name, change in {
            "a misspelt field": lambda job: job["spec"].update(completion=3),
            "a text for a number": lambda job: job["spec"].update(parallelism="3"),
            "a number for a text": lambda job: container(job)["env"][0].update(value=1),
            "no name": lambda job: container(job).pop("name"),
            "a field elsewhere": lambda job: container(job).update(restartPolicy=[]),
            "no claim's name": lambda job: job["spec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"].clear(),
        }.items():
            job = copy.deepcopy(self.jobs["cpu.job.json"])
            change(job)
            self.assertFalse(self.validator.is_valid(job), name)


if __name__ == "__main__":
    unittest.main()
