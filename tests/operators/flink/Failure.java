// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.util.Base64;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.SerializedThrowable;

/** Prints, in the form in which a JobManager tells it, why a job has failed. */
public class Failure {
	public static void main(String[] arguments) throws Exception {
		Exception cause = new IOException("Topic clicks-v2 does not exist");
		Exception failure = new RuntimeException("Recovery is suppressed by NoRestartBackoffTimeStrategy", cause);
		cause.setStackTrace(new StackTraceElement[0]);
		failure.setStackTrace(new StackTraceElement[0]);
		System.out.println(Base64.getEncoder().encodeToString(InstantiationUtil.serializeObject(new SerializedThrowable(failure))));
	}
}
